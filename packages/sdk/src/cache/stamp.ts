/**
 * Returns the modification time of an intact entry, in seconds since 1970. It is made of the first 28 bits of the hash,
 * so that after any write to the entry, or if a copy replaces it, the time no longer matches the name.
 */
export function stampOf(sha256: string): number {
  return 1_000_000_000 + Number.parseInt(sha256.slice(0, 7), 16);
}
