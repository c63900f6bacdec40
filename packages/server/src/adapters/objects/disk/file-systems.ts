import fs from 'node:fs';

/** Values of `type` in the answer of `statfs`. */
export const EXT4 = 0xef53;
export const XFS = 0x58465342;
export const TMPFS = 0x01021994;

/** Bytes per block as counted by `stat`. */
const BLOCK = 512;

/**
 * Whether bytes of a synced file on the file system of a folder have no place on the disk. ext4 drops bytes for which it finds no place, and reports
 * that only to the one who happens to write them back, which is not a later sync, and never `syncfs`.
 */
export function hasLostBlocks({ blocks, size }: fs.Stats, folder: string): boolean {
  return blocks * BLOCK < size && [EXT4, XFS].includes(fs.statfsSync(folder).type);
}
