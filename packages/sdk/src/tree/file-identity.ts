import type { BigIntStats } from 'node:fs';

/** What tells whether a file has changed without reading it. Times are nanoseconds since 1970. */
export interface FileIdentity {
  size: number;
  mtimeNs: bigint;
  ctimeNs: bigint;
  inode: bigint;
}

/** What tells apart one state of a file from another. */
export function identityOf(stats: BigIntStats): FileIdentity {
  return { size: Number(stats.size), mtimeNs: stats.mtimeNs, ctimeNs: stats.ctimeNs, inode: stats.ino };
}

export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.inode === b.inode;
}
