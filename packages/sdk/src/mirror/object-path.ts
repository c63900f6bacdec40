const SHA256 = /^[0-9a-f]{64}$/;

/** Where a mirror keeps the object of this SHA-256. Throws a `TypeError` for what is none, which may lead elsewhere. */
export function objectPath(sha256: string): string {
  if (!SHA256.test(sha256)) throw new TypeError('A SHA-256 is 64 lowercase hexadecimal digits.');
  return `objects/${sha256.slice(0, 2)}/${sha256}`;
}
