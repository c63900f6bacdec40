/**
 * The modification time of a whole entry, in seconds since 1970: made of the first 28 bits of its hash, so that any write
 * to it, and any copy in its place, moves the time away from what its name says.
 */
export function stampOf(sha256: string): number {
  return 1_000_000_000 + Number.parseInt(sha256.slice(0, 7), 16);
}
