/** The lowercase hex SHA-256 of some bytes. Plain http on a LAN has no `crypto.subtle`; there JavaScript does it. */
export async function sha256(bytes: ArrayBuffer): Promise<string> {
  const digest = crypto.subtle
    ? new Uint8Array(await crypto.subtle.digest('SHA-256', bytes))
    : (await import('@noble/hashes/sha2.js')).sha256(new Uint8Array(bytes));
  return Array.from(digest, (byte) => byte.toString(16).padStart(2, '0')).join('');
}
