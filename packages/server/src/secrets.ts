import { createHash, randomBytes } from 'node:crypto';

/** Returns the lowercase hex SHA-256 of a secret, which is how secrets of high entropy are stored. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** Returns 256 random bits as base64url text. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
