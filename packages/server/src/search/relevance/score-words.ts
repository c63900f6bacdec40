import { WORD_FIELD_BITS, WORD_FIELD_MASK } from '../../revision/words/fields.ts';
import type { WordIndex } from '../../revision/words/word-index.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import { findPostings } from './find-postings.ts';
import { MATCH_FACTORS, type Slot, type WordMatch } from './slots.ts';
import { FULL_MATCH, valueAt, valuesOf } from './weights.ts';

/** Postings processed before the search yields. */
const STRIDE = 100_000;

/** Bits of `seen` that hold the value of a match. */
const VALUE_BITS = 8;
const VALUE_MASK = (1 << VALUE_BITS) - 1;

/** What matches of each kind count: see `valuesOf`. */
export const VALUES: Readonly<Record<WordMatch, Uint8Array>> = {
  exact: valuesOf(MATCH_FACTORS.exact),
  synonym: valuesOf(MATCH_FACTORS.synonym),
  prefix: valuesOf(MATCH_FACTORS.prefix),
  typo: valuesOf(MATCH_FACTORS.typo),
};

/** A word of the query as it is scored. */
export interface WeighedSlot extends Slot {
  /** How much the word says; a whole number. */
  weight: number;
}

/** The score of an asset that matches every word as well as can be. */
export function fullScore(slots: readonly WeighedSlot[]): number {
  return slots.reduce((sum, { weight }) => sum + weight * FULL_MATCH, 0);
}

/** Memory that a search has to itself: an element per document, initially zero. */
export interface WordScoreMemory {
  scores: Uint32Array;
  seen: Uint16Array;
}

/**
 * Adds up the score of every document in whole numbers: for each word its weight times the best of its matches. At most
 * 255 words.
 */
export async function scoreWords(
  index: WordIndex,
  slots: readonly WeighedSlot[],
  memory: WordScoreMemory,
): Promise<void> {
  for (const [number, { alternatives, weight }] of slots.entries()) {
    for (const alternative of alternatives) {
      const values = VALUES[alternative.match];
      for (const postings of findPostings(index, alternative)) {
        for (let start = 0; start < postings.length; start += STRIDE) {
          const stride = postings.subarray(start, start + STRIDE);
          addMatches(stride, { values, weight, generation: number + 1 }, index.titleLengths, memory);
          if (turnIsOver()) await nextTurn();
        }
      }
    }
  }
}

/** `seen` keeps the best match of the present word; those of an earlier word are told by their generation. */
function addMatches(
  postings: Uint32Array,
  { values, weight, generation }: { values: Uint8Array; weight: number; generation: number },
  titleLengths: Uint8Array,
  { scores, seen }: WordScoreMemory,
): void {
  for (let at = 0; at < postings.length; at++) {
    const posting = postings[at] as number;
    const document = posting >>> WORD_FIELD_BITS;
    const value = values[valueAt(posting & WORD_FIELD_MASK, titleLengths[document] as number)] as number;
    const before = seen[document] as number;
    const best = before >>> VALUE_BITS === generation ? before & VALUE_MASK : 0;
    if (value <= best) continue;
    seen[document] = (generation << VALUE_BITS) | value;
    scores[document] = (scores[document] as number) + weight * (value - best);
  }
}
