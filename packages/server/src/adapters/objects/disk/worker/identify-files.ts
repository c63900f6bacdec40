import fs from 'node:fs';
import type { StoredObject } from '../../../../objects/store.ts';
import type { Layout } from '../layout.ts';

export interface FilesToIdentify {
  storeId: string;
  uploads: readonly StoredObject[];
}

/** Returns the inode of each upload that this process received, 0 for those that it does not find with their size. */
export function identifyFiles(layout: Layout, { storeId, uploads }: FilesToIdentify): number[] {
  return uploads.map(({ sha256, size }) => {
    const stats = fs.statSync(layout.staged('incoming', { storeId, sha256 }), { throwIfNoEntry: false });
    return stats?.size === size ? stats.ino : 0;
  });
}
