import type { WordIndex } from '../../revision/words/word-index.ts';
import { ScratchPool } from '../scratch.ts';
import { fullScore, type ScoredWords, scoreWords } from './score-words.ts';

/** Shares of a query are ranked in steps of 1 / `STEPS`; hits within one step are ties. */
export const STEPS = 16_000;

const scores = new ScratchPool<Uint32Array>(Uint32Array);
const seen = new ScratchPool<Uint16Array>(Uint16Array);

/**
 * Calls `work` with the share of the query that each document of an index matches by its words, in units of
 * 1 / `STEPS`; 0 means no hit. The keys are only valid until `work` settles.
 */
export async function withWordKeys<Result>(
  index: WordIndex,
  words: ScoredWords,
  work: (keys: Uint16Array) => Promise<Result>,
): Promise<Result> {
  const full = fullScore(words.slots);
  const memory = { scores: scores.borrow(index.documentCount), seen: seen.borrow(index.documentCount) };
  await scoreWords(index, words, memory);
  // The contents of `seen` are no longer needed.
  const keys = memory.seen;
  for (let document = 0; document < keys.length; document++) {
    const score = memory.scores[document] as number;
    keys[document] = score === 0 ? 0 : Math.ceil((score / full) * STEPS);
  }
  scores.giveBack(memory.scores);
  const result = await work(keys);
  seen.giveBack(keys);
  return result;
}
