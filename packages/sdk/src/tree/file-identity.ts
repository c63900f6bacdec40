import type { BigIntStats, Stats } from 'node:fs';

const SECOND = 1_000_000_000n;
/** How far apart a change and a later check must be for the file to have different times. */
const CLOCK_TICK = SECOND / 50n;
/** If times have no fraction, the file system might count in steps of two seconds. */
const COARSE_TICK = 2n * SECOND;
const OTHERS_MAY_WRITE = 0o022;

/** Shows whether a file has changed without reading it. Times are nanoseconds since 1970. */
export interface FileIdentity {
  size: number;
  mtimeNs: bigint;
  ctimeNs: bigint;
  inode: bigint;
}

/** Returns what distinguishes one state of a file from another. */
export function identityOf(stats: BigIntStats): FileIdentity {
  return { size: Number(stats.size), mtimeNs: stats.mtimeNs, ctimeNs: stats.ctimeNs, inode: stats.ino };
}

export function sameIdentity(a: FileIdentity, b: FileIdentity): boolean {
  return a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.inode === b.inode;
}

/** The clock that file times are compared with, in nanoseconds since 1970. */
export function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

/**
 * Whether a file that was read at `readAt` (nanoseconds since 1970) or later changed so shortly before that a further
 * change might leave its times unchanged.
 */
export function mayChangeUnseen({ mtimeNs, ctimeNs }: FileIdentity, readAt: bigint): boolean {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const tick = mtimeNs % SECOND === 0n && ctimeNs % SECOND === 0n ? COARSE_TICK : CLOCK_TICK;
  return latest + tick >= readAt;
}

/** Returns the identity as text. Texts are equal if nothing distinguishes the files. */
export function identityText({ size, mtimeNs, ctimeNs, inode }: FileIdentity): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${inode}`;
}

/** Whether a file belongs to this user, and nobody else may write to it. */
export function isOwn({ uid, mode }: Pick<Stats, 'uid' | 'mode'>): boolean {
  return process.geteuid === undefined || (uid === process.geteuid() && (mode & OTHERS_MAY_WRITE) === 0);
}
