/** Returns the lowercase hex SHA-256 of `bytes`, in JavaScript over plain http, which has no `crypto.subtle`. */
export async function sha256(bytes: ArrayBuffer): Promise<string> {
  const digest = crypto.subtle
    ? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    : (await import('@noble/hashes/sha2.js')).sha256(new Uint8Array(bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
