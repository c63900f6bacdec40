import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { WORD_FIELD_BITS, WORD_FIELD_MASK, type WordIndex } from '../../revision/words/word-index.ts';
import { ScratchPool } from '../hits.ts';
import type { FoundPostings } from './postings.ts';
import { type Alternative, MATCH_FACTORS, type Slot, type WordMatch } from './query.ts';
import { FULL_MATCH, valueAt, valuesOf } from './weights.ts';

/** Postings processed before the search yields. */
const STRIDE = 100_000;

/** Bits of `seen` that hold the value of a match. */
const VALUE_BITS = 8;
const VALUE_MASK = (1 << VALUE_BITS) - 1;

/** The values of matches of each kind: see `valuesOf`. */
export const VALUES: Readonly<Record<WordMatch, Uint8Array>> = {
  exact: valuesOf(MATCH_FACTORS.exact),
  stem: valuesOf(MATCH_FACTORS.stem),
  synonym: valuesOf(MATCH_FACTORS.synonym),
  prefix: valuesOf(MATCH_FACTORS.prefix),
  typo: valuesOf(MATCH_FACTORS.typo),
};

/** A word of the query as it is scored. */
export interface WeightedSlot extends Slot {
  /** How much the word counts; an integer. */
  weight: number;
}

/** What scoring needs to know of what it scores. */
type ScoredIndex = Pick<WordIndex, 'documentCount' | 'titleLengths'>;

/** What one index is scored with. */
export interface ScoredWords<Index extends ScoredIndex = WordIndex> {
  slots: readonly WeightedSlot[];
  find(index: Index, alternative: Alternative): FoundPostings;
}

/** Returns the score of an asset that matches every word perfectly. */
function fullScore(slots: readonly WeightedSlot[]): number {
  return slots.reduce((sum, { weight }) => sum + weight * FULL_MATCH, 0);
}

/** What part of a score counts however few of the words an asset has. */
const ALWAYS = 0.5;

/** Returns what part of its score counts, given the weights of the words that an asset has and of all: more of them mean it more probably. */
function coverage(matched: number, all: number): number {
  return ALWAYS + (1 - ALWAYS) * (matched / all);
}

/** Memory for one search at a time, initially zero. */
interface WordScoreMemory {
  /** For each document its score, followed by the weights of the words that it has: both are read and written together. */
  scores: Uint32Array;
  seen: Uint16Array;
}

/**
 * Adds up the score of every document in integers: for each word, its weight times its best match. At most 255 words.
 */
async function scoreWords<Index extends ScoredIndex>(
  index: Index,
  { slots, find }: ScoredWords<Index>,
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
    const own = 2 * document;
    scores[own] = (scores[own] as number) + weight * (value - best);
    if (best === 0) scores[own + 1] = (scores[own + 1] as number) + weight;
  }
}

/** Shares of a query are ranked in steps of 1 / `STEPS`; hits within one step are ties. */
export const STEPS = 16_000;

/** What rounding can add to a share, in steps. */
const ROUNDING = 1e-6;

const scores = new ScratchPool<Uint32Array>(Uint32Array);
const seen = new ScratchPool<Uint16Array>(Uint16Array);

/**
 * Calls `work` with the share of the query that each document of an index matches by its words, in units of
 * 1 / `STEPS`, less for those that lack words of it; 0 means no hit. The keys are only valid until `work` settles.
 */
export async function withWordKeys<Index extends ScoredIndex, Result>(
  index: Index,
  words: ScoredWords<Index>,
  work: (keys: Uint16Array) => Promise<Result>,
): Promise<Result> {
  const full = fullScore(words.slots);
  const [none, one] = [0, 1].map((matched) => (coverage(matched, full / FULL_MATCH) * STEPS) / full);
  const [least, perMatched] = [none as number, (one as number) - (none as number)];
  const memory = { scores: scores.borrow(2 * index.documentCount), seen: seen.borrow(index.documentCount) };
  await scoreWords(index, words, memory);
  const keys = keysOf(memory, least, perMatched);
  scores.giveBack(memory.scores);
  const result = await work(keys);
  seen.giveBack(keys);
  return result;
}

/** Writes the keys over the matches, which are no longer needed. */
function keysOf({ scores, seen: keys }: WordScoreMemory, least: number, perMatched: number): Uint16Array {
  for (let document = 0; document < keys.length; document++) {
    const score = scores[2 * document] as number;
    if (score === 0) keys[document] = 0;
    else {
      const matched = scores[2 * document + 1] as number;
      keys[document] = Math.ceil(score * (least + perMatched * matched) - ROUNDING);
    }
  }
  return keys;
}
