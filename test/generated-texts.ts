import { hash } from 'node:crypto';
import type { ManifestAsset } from '@bindery/contract';

/** A generator of reproducible random numbers from 0 to 1 (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const VOCABULARY = 30_000;
const ONSETS =
  'b bl br c ch cl cr d dr f fl fr g gl gr h j k l m n p pl pr qu r s sh sl sp st t th tr v w z'.split(' ');
const VOWELS = 'a e i o u ai ea oo ou'.split(' ');
const CODAS = ['', '', 'n', 'r', 'l', 's', 't', 'm', 'ck', 'nd', 'st'];
const ENDINGS = ['', 's', 'er', 'ing', 'ed', '2'];
const CATEGORIES = 'arm hand gripper quadruped humanoid drone vehicle sensor furniture building'.split(' ');
const KINDS = 'mjcf urdf mesh splat image file'.split(' ');
const LICENSES = ['MIT', 'Apache-2.0', 'CC-BY-4.0', 'CC0-1.0', 'BSD-3-Clause'];

/**
 * Generates assets with realistic word frequencies, of `files` files each (at least two); deterministic for a seed.
 * Without descriptions, texts stay short.
 */
export function generateAssets(
  count: number,
  { described = true, seed = 1, files = 2 }: { described?: boolean; seed?: number; files?: number } = {},
): ManifestAsset[] {
  const random = seeded(seed);
  const words = ordinaryWords();
  const word = () => words[zipf(random)] as string;
  const phrase = (least: number, most: number) =>
    Array.from({ length: between(random, least, most) }, word).join(' ');
  return Array.from({ length: count }, (_, n) => {
    const title = phrase(2, 5);
    const id = `${title.split(' ').slice(0, 2).join('_')}-${n}`;
    const path = `${id}/model.xml`;
    const thumbnail = `${id}/thumbnail.webp`;
    const parts = Array.from({ length: files - 2 }, (_, part) => `${id}/part-${part}.stl`);
    return {
      id,
      title: title[0]?.toUpperCase() + title.slice(1),
      ...(described && { description: `${phrase(20, 60)}.` }),
      category: pick(random, CATEGORIES),
      kind: pick(random, KINDS),
      format: 'xml',
      tags: Array.from({ length: between(random, 1, 6) }, word),
      license: pick(random, LICENSES),
      entry: path,
      thumbnail,
      files: [path, thumbnail, ...parts].map((file) => ({
        path: file,
        size: 4_096,
        sha256: hash('sha256', file),
      })),
    };
  });
}

/** Generates queries as users type them: one to four words, frequent and rare, whole and partial, a few mistyped. */
export function generateQueries(count: number): string[] {
  const random = seeded(2);
  const words = ordinaryWords();
  const frequent = () => words[zipf(random)] as string;
  const rare = () => words[between(random, 2_000, VOCABULARY - 1)] as string;
  const begun = () => frequent().slice(0, between(random, 2, 5));
  const mistyped = () => `${rare().slice(0, 4)}zx${rare().slice(0, 3)}`;
  const kinds = [frequent, frequent, rare, begun];
  return Array.from({ length: count }, (_, n) => {
    if (n % 20 === 0) return mistyped();
    return Array.from({ length: between(random, 1, 4) }, () => pick(random, kinds)()).join(' ');
  });
}

let vocabulary: string[] | undefined;

function ordinaryWords(): string[] {
  vocabulary ??= generateWords();
  return vocabulary;
}

/** Generates words of two or three syllables, some of them inflections of one stem. */
function generateWords(): string[] {
  const random = seeded(3);
  const syllable = () => pick(random, ONSETS) + pick(random, VOWELS) + pick(random, CODAS);
  const words = new Set<string>();
  while (words.size < VOCABULARY) {
    const stem = Array.from({ length: between(random, 1, 3) }, syllable).join('');
    for (let form = between(random, 1, 3); form > 0; form--) words.add(stem + pick(random, ENDINGS));
  }
  return [...words].slice(0, VOCABULARY);
}

/** Returns a word's rank by Zipf's law with exponent 1, from 0. */
function zipf(random: () => number): number {
  return Math.min(VOCABULARY - 1, Math.floor(VOCABULARY ** random()) - 1);
}

function between(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

function pick<Item>(random: () => number, items: readonly Item[]): Item {
  return items[Math.floor(random() * items.length)] as Item;
}
