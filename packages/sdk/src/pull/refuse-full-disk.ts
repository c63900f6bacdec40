import { statfsSync } from 'node:fs';
import { DiskFullError } from '../failures.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { bytesLeftOf } from './partial-files.ts';
import { type TargetFile, totalOf } from './select-files.ts';

/** Throws `DiskFullError` if the disk of a folder has less free space than these files need. */
export function refuseFullDisk(folder: GuardedFolder, files: readonly TargetFile[]): void {
  const free = freeBytesOf(folder.root);
  let needed = totalOf(files).bytes;
  if (free === null || needed <= free) return;
  needed -= bytesLeftOf(folder, files);
  if (needed > free) throw new DiskFullError(folder.root, { needed, free });
}

/** Returns null if the file system does not say. */
function freeBytesOf(folder: string): number | null {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return blocks === 0 ? null : bavail * bsize;
  } catch {
    return null;
  }
}
