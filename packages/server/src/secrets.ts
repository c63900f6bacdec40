import { createHash, randomBytes } from 'node:crypto';

/** Lowercase hex SHA-256: how secrets of high entropy are stored. */
export function hashSecret(secret: string): string {
  return createHash('sha256').update(secret).digest('hex');
}

/** 256 random bits as base64url text. */
export function randomSecret(): string {
  return randomBytes(32).toString('base64url');
}
