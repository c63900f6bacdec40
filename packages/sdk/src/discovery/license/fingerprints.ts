import { FINGERPRINTS } from './fingerprint-data.ts';

/** A licence identified by its text. For long texts only the shingles divisible by `modulus` are stored. */
export interface Fingerprint {
  readonly id: string;
  readonly modulus: number;
  readonly shingles: ReadonlySet<number>;
}

const BYTES = 3;

let decoded: readonly Fingerprint[] | undefined;

/** Returns the fingerprints of the known licences, decoded once. */
export function fingerprints(): readonly Fingerprint[] {
  decoded ??= FINGERPRINTS.map(([id, modulus, data]) => ({ id, modulus, shingles: decode(data) }));
  return decoded;
}

function decode(data: string): Set<number> {
  const bytes = Uint8Array.from(atob(data), (character) => character.charCodeAt(0));
  const shingles = new Set<number>();
  for (let at = 0; at + BYTES <= bytes.length; at += BYTES) {
    shingles.add(((bytes[at] ?? 0) << 16) | ((bytes[at + 1] ?? 0) << 8) | (bytes[at + 2] ?? 0));
  }
  return shingles;
}
