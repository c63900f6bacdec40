import fs from 'node:fs';
import { forEachBounded } from '@bindery/concurrency';
import { isMissing } from '../../../../objects/missing.ts';
import type { ObjectAddress, StoredObject } from '../../../../objects/store.ts';
import { syncOrRemove } from '../files.ts';
import type { Layout } from '../layout.ts';
import { moveInto } from './move.ts';

/** How many files are synced at the same time: the device flushes once for all that are waiting. */
const SYNCED_AT_ONCE = 16;

export interface FilesToPromote {
  storeId: string;
  uploads: readonly StoredObject[];
}

/** Makes files that this process received objects, once they are durable. Returns those that it did not find. */
export async function promoteFiles(
  layout: Layout,
  { storeId, uploads }: FilesToPromote,
): Promise<StoredObject[]> {
  const left: StoredObject[] = [];
  await forEachBounded(uploads, { concurrency: SYNCED_AT_ONCE }, async (upload) => {
    const address = { storeId, sha256: upload.sha256 };
    const staged = layout.staged('incoming', address);
    try {
      if (await sync(layout, staged, { ...address, size: upload.size }))
        moveInto(staged, layout.object(address));
      else left.push(upload);
    } catch (error) {
      if (!isMissing(error)) throw error;
      left.push(upload);
    }
  });
  return left;
}

/** Returns false if the file has another size. */
async function sync(layout: Layout, path: string, upload: ObjectAddress & StoredObject): Promise<boolean> {
  const fd = fs.openSync(path, 'r');
  try {
    if (fs.fstatSync(fd).size !== upload.size) return false;
    await syncOrRemove(fd, layout, upload);
    return true;
  } finally {
    fs.closeSync(fd);
  }
}
