import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { WordIndex } from '../../revision/words/word-index.ts';
import { WORD_FIELD_BITS, WORD_FIELD_MASK } from '../../revision/words/word-index.ts';
import type { FoundPostings } from './find-postings.ts';
import { type Alternative, MATCH_FACTORS, type Slot, type WordMatch } from './slots.ts';
import { FULL_MATCH, valueAt, valuesOf } from './weights.ts';

/** Postings processed before the search yields. */
const STRIDE = 100_000;

/** Bits of `seen` that hold the value of a match. */
const VALUE_BITS = 8;
const VALUE_MASK = (1 << VALUE_BITS) - 1;

/** The values of matches of each kind: see `valuesOf`. */
export const VALUES: Readonly<Record<WordMatch, Uint8Array>> = {
  exact: valuesOf(MATCH_FACTORS.exact),
  synonym: valuesOf(MATCH_FACTORS.synonym),
  prefix: valuesOf(MATCH_FACTORS.prefix),
  typo: valuesOf(MATCH_FACTORS.typo),
};

/** A word of the query as it is scored. */
export interface WeightedSlot extends Slot {
  /** How much the word counts; an integer. */
  weight: number;
}

/** What one index is scored with. */
export interface ScoredWords {
  slots: readonly WeightedSlot[];
  find(index: WordIndex, alternative: Alternative): FoundPostings;
}

/** Returns the score of an asset that matches every word perfectly. */
export function fullScore(slots: readonly WeightedSlot[]): number {
  return slots.reduce((sum, { weight }) => sum + weight * FULL_MATCH, 0);
}

/** Memory for one search at a time: one element per document, initially zero. */
export interface WordScoreMemory {
  scores: Uint32Array;
  seen: Uint16Array;
}

/**
 * Adds up the score of every document in integers: for each word, its weight times its best match. At most 255 words.
 */
export async function scoreWords(
  index: WordIndex,
  { slots, find }: ScoredWords,
  memory: WordScoreMemory,
): Promise<void> {
  for (const [number, { alternatives, weight }] of slots.entries()) {
    for (const alternative of alternatives) {
      const match = { values: VALUES[alternative.match], weight, generation: number + 1 };
      const { values: postings, ranges } = find(index, alternative);
      for (let range = 0; range < ranges.length; range += 2) {
        const end = ranges[range + 1] as number;
        for (let start = ranges[range] as number; start < end; start += STRIDE) {
          const stride = { start, end: Math.min(end, start + STRIDE) };
          addMatches(postings, stride, match, index.titleLengths, memory);
          if (turnIsOver()) await nextTurn();
        }
      }
    }
  }
}

/** `seen` stores the best match of the current word; values of earlier words are recognized by their generation. */
function addMatches(
  postings: Uint32Array,
  { start, end }: { start: number; end: number },
  { values, weight, generation }: { values: Uint8Array; weight: number; generation: number },
  titleLengths: Uint8Array,
  { scores, seen }: WordScoreMemory,
): void {
  for (let at = start; at < end; at++) {
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
