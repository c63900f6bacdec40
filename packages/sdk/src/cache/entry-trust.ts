import { randomBytes } from 'node:crypto';
import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { isSystemError } from '../failures.ts';
import { isOwn } from '../tree/file-identity.ts';
import { CACHE_FOLDER_MODE } from '../tree/files.ts';
import { hashFile } from '../tree/hash-file.ts';

/** Entries are read-only. */
export const ENTRY_MODE = 0o444 & ~process.umask();

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
    const stats = fstatSync(descriptor);
    const text = textOf(fstatSync(descriptor, { bigint: true }));
    return isOwn(stats) && readFileSync(descriptor, 'utf8') === text ? stats.ctimeMs : null;
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
  return statSync(mark).ctimeMs;
}

function textOf({ ino, birthtimeNs }: BigIntStats): string {
  return `${ino} ${birthtimeNs}\n`;
}

/**
 * Reports whether an entry's content matches its name. Stamps it if it does, deletes it if it does not. Throws if this
 * user may not read it.
 */
export function verifyEntry(file: string, sha256: string): boolean {
  const isWhole = hashOf(file) === sha256;
  try {
    if (isWhole) {
      chmodSync(file, ENTRY_MODE);
      utimesSync(file, Date.now() / 1_000, stampOf(sha256));
    } else rmSync(file, { force: true });
  } catch {
    // A read-only cache stays as it is; its damaged entries are not used either.
  }
  return isWhole;
}

/** Returns null if it cannot be read because it is damaged, or has vanished. */
function hashOf(file: string): string | null {
  try {
    return hashFile(file)?.sha256 ?? null;
  } catch (error) {
    if (isSystemError(error, 'EACCES', 'EPERM')) throw error;
    return null;
  }
}

/**
 * Returns the modification time of an intact entry, in seconds since 1970. It is made of the first 28 bits of the hash,
 * so that after any write to the entry, or if a copy replaces it, the time no longer matches the name.
 */
export function stampOf(sha256: string): number {
  return 1_000_000_000 + Number.parseInt(sha256.slice(0, 7), 16);
}
