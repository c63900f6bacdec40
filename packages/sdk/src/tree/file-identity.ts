import type { BigIntStats } from 'node:fs';

const SECOND = 1_000_000_000n;
/** How far apart a change and a look at its file must be to get different times. */
const CLOCK_TICK = SECOND / 50n;
/** Where times have no fraction, the file system may count in steps of two seconds. */
const COARSE_TICK = 2n * SECOND;

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

/** The clock that file times are compared with, in nanoseconds since 1970. */
export function nowNs(): bigint {
  return BigInt(Date.now()) * 1_000_000n;
}

/**
 * Whether a file that was read at `readAt` (nanoseconds since 1970) or later changed so shortly before that a later change
 * might leave its times as they are.
 */
export function mayChangeUnseen({ mtimeNs, ctimeNs }: FileIdentity, readAt: bigint): boolean {
  const latest = mtimeNs > ctimeNs ? mtimeNs : ctimeNs;
  const tick = mtimeNs % SECOND === 0n && ctimeNs % SECOND === 0n ? COARSE_TICK : CLOCK_TICK;
  return latest + tick >= readAt;
}

/** The identity as text; two are equal where nothing tells the files apart. */
export function identityText({ size, mtimeNs, ctimeNs, inode }: FileIdentity): string {
  return `${size} ${mtimeNs} ${ctimeNs} ${inode}`;
}
