import { hash } from 'node:crypto';
import type { PresignedFile } from '@bindery/contract';
import { type Client, IntegrityError } from '@bindery/sdk';

/** Downloads and verifies a file; returns null if it is larger than `maxBytes`. Throws `IntegrityError`. */
export async function readVerified(
  client: Client,
  { path, size, sha256, url }: PresignedFile,
  maxBytes: number,
): Promise<Buffer | null> {
  if (size > maxBytes) return null;
  const bytes = await client.download({ url }, size);
  if (hash('sha256', bytes) === sha256) return bytes;
  throw new IntegrityError(`${path} does not match its hash.`);
}
