import { type Fingerprint, fingerprints } from './fingerprints.ts';
import { shinglesOf, wordsOf } from './shingles.ts';

/** A licence that a text was found to be. */
export interface LicenseMatch {
  /** An SPDX expression. */
  readonly expression: string;
  /** From 0 to 1: how much of the text and of the licence's own are the same. */
  readonly certainty: number;
}

/** Below it nothing is guessed: texts of different licences share as much. */
export const MIN_CERTAINTY = 0.9;
/** How much of a licence must stand in a document that holds several, or something else besides. */
const MIN_CONTAINED = 0.95;
const MAX_TOGETHER = 4;

/**
 * The licence whose text this is, or those whose texts stand in it, by their runs of five words. Null where nothing is
 * like enough.
 */
export function matchLicenseText(text: string): LicenseMatch | null {
  const own = shinglesOf(wordsOf(text));
  if (own.size === 0) return null;
  const samples = new Map<number, number>();
  const compared = fingerprints().map((license) => compare(license, own, samples));
  const [best] = compared.toSorted((a, b) => b.likeness - a.likeness);
  const isOne = best !== undefined && best.likeness >= MIN_CERTAINTY;
  return together(
    isOne ? best : undefined,
    compared.filter(({ contained }) => contained >= MIN_CONTAINED),
  );
}

interface Compared {
  license: Fingerprint;
  /** Sørensen–Dice coefficient of the two texts. */
  likeness: number;
  /** The part of the licence that stands in the text. */
  contained: number;
}

function compare(license: Fingerprint, own: ReadonlySet<number>, samples: Map<number, number>): Compared {
  const { shingles, modulus } = license;
  let shared = 0;
  for (const shingle of shingles) if (own.has(shingle)) shared++;
  let size = samples.get(modulus);
  if (size === undefined) {
    size = modulus === 1 ? own.size : [...own].filter((shingle) => shingle % modulus === 0).length;
    samples.set(modulus, size);
  }
  return {
    license,
    likeness: (2 * shared) / (shingles.size + size),
    contained: shared / shingles.size,
  };
}

/** What the text is as a whole, and licences that stand in it without standing in another of them. */
function together(whole: Compared | undefined, contained: readonly Compared[]): LicenseMatch | null {
  const kept = whole === undefined ? [] : [whole];
  for (const one of contained.toSorted((a, b) => lengthOf(b) - lengthOf(a))) {
    if (!kept.some((other) => standsIn(one.license, other.license))) kept.push(one);
  }
  if (kept.length === 0 || kept.length > MAX_TOGETHER) return null;
  return {
    expression: kept
      .map(({ license }) => license.id)
      .sort()
      .join(' AND '),
    certainty: Math.min(...kept.map((one) => (one === whole ? one.likeness : one.contained))),
  };
}

function lengthOf({ license }: Compared): number {
  return license.shingles.size * license.modulus;
}

function standsIn(part: Fingerprint, whole: Fingerprint): boolean {
  const modulus = Math.max(part.modulus, whole.modulus);
  const sample = [...part.shingles].filter((shingle) => shingle % modulus === 0);
  const shared = sample.filter((shingle) => whole.shingles.has(shingle)).length;
  return sample.length > 0 && shared / sample.length >= 0.8;
}
