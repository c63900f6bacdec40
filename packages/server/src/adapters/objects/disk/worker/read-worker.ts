import { createHash } from 'node:crypto';
import fs from 'node:fs';
import { constants, setPriority } from 'node:os';
import { isMissing } from '../../../../objects/missing.ts';
import type { StoredObject } from '../../../../objects/store.ts';
import { Layout } from '../layout.ts';

export interface ObjectsToRead {
  storeId: string;
  objects: readonly StoredObject[];
}

/** `root` is the folder of the store. */
export type ReadTask = { root: string } & ObjectsToRead;

const READ_BYTES = 1024 * 1024;

/** On Linux each thread has its own priority: requests take precedence over verifying stored objects. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

const buffer = Buffer.allocUnsafeSlow(READ_BYTES);

/** Returns the hashes of the objects whose bytes match them. */
export default function intactFiles({ root, storeId, objects }: ReadTask): string[] {
  const layout = new Layout(root);
  return objects
    .filter(({ sha256, size }) => holds(layout.object({ storeId, sha256 }), sha256, size))
    .map(({ sha256 }) => sha256);
}

function holds(path: string, sha256: string, size: number): boolean {
  try {
    const fd = fs.openSync(path, 'r');
    try {
      return fs.fstatSync(fd).size === size && digest(fd) === sha256;
    } finally {
      fs.closeSync(fd);
    }
  } catch (error) {
    // Files that a failing disk cannot read count as damaged.
    if (isMissing(error) || (error as NodeJS.ErrnoException).code === 'EIO') return false;
    throw error;
  }
}

function digest(fd: number): string {
  const hash = createHash('sha256');
  for (;;) {
    const count = fs.readSync(fd, buffer, 0, READ_BYTES, null);
    if (count === 0) return hash.digest('hex');
    hash.update(buffer.subarray(0, count));
  }
}
