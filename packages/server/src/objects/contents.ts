import type { Contents } from '../revision/file-closure.ts';
import type { StoredObject } from './store.ts';

const HASH_BYTES = 32;

export function contentsOf(objects: readonly StoredObject[]): Contents {
  const hashes = Buffer.allocUnsafe(objects.length * HASH_BYTES);
  for (const [at, { sha256 }] of objects.entries()) hashes.write(sha256, at * HASH_BYTES, 'hex');
  return { hashes, sizes: Float64Array.from(objects, ({ size }) => size) };
}
