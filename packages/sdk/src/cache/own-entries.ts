import { randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { CACHE_FOLDER_MODE } from '../tree/atomic-file.ts';
import { isOwn } from '../tree/file-identity.ts';

/**
 * Returns since when entries of a cache have been written on this machine, in milliseconds since 1970: older ones may
 * have been restored from a backup, or from the cache of a build. Infinity if that cannot be known. No copy of a folder
 * preserves inode and time of creation of its mark, or the change times of its entries.
 */
export function ownSince(cacheFolder: string): number {
  const mark = join(cacheFolder, 'mark');
  try {
    return readMark(mark) ?? writeMark(mark, cacheFolder);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/** Returns null if the mark is missing, or was made elsewhere. */
function readMark(mark: string): number | null {
  let descriptor: number;
  try {
    descriptor = openSync(mark, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch {
    return null;
  }
  try {
    const stats = fstatSync(descriptor, { bigint: true });
    const isValid = isOwn(fstatSync(descriptor)) && readFileSync(descriptor, 'utf8') === textOf(stats);
    return isValid ? Number(stats.ctimeNs) / 1e6 : null;
  } finally {
    closeSync(descriptor);
  }
}

function writeMark(mark: string, cacheFolder: string): number {
  mkdirSync(cacheFolder, { recursive: true, mode: CACHE_FOLDER_MODE });
  const temporary = `${mark}.${randomBytes(6).toString('hex')}.tmp`;
  try {
    const descriptor = openSync(temporary, 'wx', 0o600);
    try {
      writeFileSync(descriptor, textOf(fstatSync(descriptor, { bigint: true })));
    } finally {
      closeSync(descriptor);
    }
    renameSync(temporary, mark);
  } finally {
    rmSync(temporary, { force: true });
  }
  return Number(statSync(mark, { bigint: true }).ctimeNs) / 1e6;
}

function textOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino} ${birthtimeNs}\n`;
}
