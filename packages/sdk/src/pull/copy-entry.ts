import { chmodSync, constants, copyFileSync } from 'node:fs';

/** Up to this size an entry is read and written anew, which takes less than to have the system copy it. */
export const READ_WHOLE = 64 * 1024;
const FILE_MODE = 0o666 & ~process.umask();

/** Makes a file of an entry of the cache that may be written: with shared blocks where the file system can. */
export function copyEntry(entry: string, place: string): void {
  copyFileSync(entry, place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  chmodSync(place, FILE_MODE);
}
