import { FINGERPRINTS } from './fingerprint-data.ts';

/** The licence that a text was identified as. */
export interface LicenseMatch {
  /** An SPDX expression. */
  readonly expression: string;
  /** From 0 to 1: how much of the text and of the licence's own text is the same. */
  readonly certainty: number;
}

/** Below this nothing is matched: texts of different licences can have that much in common. */
const MIN_CERTAINTY = 0.9;
/** Share of a licence that must be in a document with several licences, or with other text as well. */
const MIN_CONTAINED = 0.95;
const MAX_TOGETHER = 4;

/**
 * Identifies the licence of a text, or the licences whose texts it contains, by runs of five words. Null if nothing is
 * similar enough.
 */
export function matchLicenseText(text: string): LicenseMatch | null {
  const own = shinglesOf(wordsOf(text));
  if (own.size === 0) return null;
  const samples = new Map<number, number>();
  const compared = fingerprints().map((license) => compare(license, own, samples));
  const [best] = compared.toSorted((a, b) => b.similarity - a.similarity);
  const isOne = best !== undefined && best.similarity >= MIN_CERTAINTY;
  return combineMatches(
    isOne ? best : undefined,
    compared.filter(({ contained }) => contained >= MIN_CONTAINED),
  );
}

interface Comparison {
  license: Fingerprint;
  /** Sørensen–Dice coefficient of the two texts. */
  similarity: number;
  /** The share of the licence that is in the text. */
  contained: number;
}

function compare(license: Fingerprint, own: ReadonlySet<number>, samples: Map<number, number>): Comparison {
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
    similarity: (2 * shared) / (shingles.size + size),
    contained: shared / shingles.size,
  };
}

/** Combines the licence of the whole text with the licences it contains that are not contained in another of them. */
function combineMatches(
  whole: Comparison | undefined,
  contained: readonly Comparison[],
): LicenseMatch | null {
  const kept = whole === undefined ? [] : [whole];
  for (const one of contained.toSorted((a, b) => lengthOf(b) - lengthOf(a))) {
    if (!kept.some((other) => isContainedIn(one.license, other.license))) kept.push(one);
  }
  if (kept.length === 0 || kept.length > MAX_TOGETHER) return null;
  return {
    expression: kept
      .map(({ license }) => license.id)
      .sort()
      .join(' AND '),
    certainty: Math.min(...kept.map((one) => (one === whole ? one.similarity : one.contained))),
  };
}

function lengthOf({ license }: Comparison): number {
  return license.shingles.size * license.modulus;
}

function isContainedIn(part: Fingerprint, whole: Fingerprint): boolean {
  const modulus = Math.max(part.modulus, whole.modulus);
  const sample = [...part.shingles].filter((shingle) => shingle % modulus === 0);
  const shared = sample.filter((shingle) => whole.shingles.has(shingle)).length;
  return sample.length > 0 && shared / sample.length >= 0.8;
}

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
  decoded ??= FINGERPRINTS.map((line) => {
    const [id = '', modulus, data = ''] = line.split(' ');
    return { id, modulus: Number(modulus), shingles: decode(data) };
  });
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

/** Number of consecutive words that are hashed together. */
const WORDS = 5;

/**
 * Returns the words of a text for comparison, following the SPDX matching guidelines as far as it matters: without
 * punctuation, markup, clause numbers, and lines and names that only identify the owner.
 */
export function wordsOf(text: string): string[] {
  const body = text
    .toLowerCase()
    .replace(/<!--[\s\S]*?(?:-->|$)/g, ' ')
    // A line of the text itself can begin with "copyright holder" or "copyright notice".
    .replace(
      /^[^\p{L}\n\r\u2028\u2029]*(?:copyright(?!\s+(?:owners?|holders?|notices?)\b)|©|\(c\)|all rights reserved).*$/gmu,
      ' ',
    )
    .replace(/^[ \t]*(?:[*-]|\d+[.)]|\(?[a-z\d]{1,3}\))[ \t]+/gm, ' ')
    .replace(/https?:\/\/\S+/g, ' ')
    .replace(/copyright[ \t]+owner/g, 'copyright holder')
    .replace(/neither the names? of[^;]{1,200}?nor the names of/g, 'neither the name of nor the names of');
  return body.match(/[\p{L}\p{N}]+/gu) ?? [];
}

/** Returns distinct 24-bit numbers, one for each run of five words, or one for all of a shorter text. */
export function shinglesOf(words: readonly string[]): Set<number> {
  const shingles = new Set<number>();
  const last = Math.max(0, words.length - WORDS);
  for (let at = 0; at <= last && words.length > 0; at++) {
    shingles.add(hash(words.slice(at, at + WORDS).join(' ')));
  }
  return shingles;
}

/** FNV-1a over UTF-16 units, folded to 24 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let at = 0; at < text.length; at++) {
    value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  }
  return ((value >>> 24) ^ value) & 0xffffff;
}
