import { chmodSync, constants, copyFileSync } from 'node:fs';

/** Entries up to this size are read and written, which is faster than having the system copy them. */
export const READ_WHOLE = 64 * 1024;
const FILE_MODE = 0o666 & ~process.umask();

/** Copies a cache entry to a writable file, sharing its blocks if the file system can. */
export function copyEntry(entry: string, place: string): void {
  copyFileSync(entry, place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  chmodSync(place, FILE_MODE);
}
