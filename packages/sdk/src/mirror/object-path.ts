const SHA256 = /^[0-9a-f]{64}$/;

/** Returns an object's path in a mirror. Throws a `TypeError` for anything but a SHA-256: it could lead elsewhere. */
export function objectPath(sha256: string): string {
  if (!SHA256.test(sha256)) throw new TypeError('A SHA-256 is 64 lowercase hexadecimal digits.');
  return `objects/${sha256.slice(0, 2)}/${sha256}`;
}
