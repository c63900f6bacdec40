import fs from 'node:fs';
import type { Contents } from '../../../../revision/file-closure.ts';
import type { Layout } from '../layout.ts';

const HASH_BYTES = 32;

export interface ContentsToFind extends Contents {
  storeId: string;
}

/** Returns the positions of contents that are not stored as objects of exactly the given size. */
export function findAbsent(layout: Layout, { storeId, hashes, sizes }: ContentsToFind): number[] {
  const bytes = Buffer.from(hashes.buffer, hashes.byteOffset, hashes.byteLength);
  const absent: number[] = [];
  sizes.forEach((size, place) => {
    const sha256 = bytes.toString('hex', place * HASH_BYTES, (place + 1) * HASH_BYTES);
    const stats = fs.statSync(layout.object({ storeId, sha256 }), { throwIfNoEntry: false });
    if (stats?.size !== size) absent.push(place);
  });
  return absent;
}
