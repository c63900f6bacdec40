import type { WordIndex } from '../../revision/words/word-index.ts';
import { ScratchPool } from '../scratch.ts';
import { fullScore, type ScoredWords, scoreWords } from './score-words.ts';

/** Shares of a query are ranked in steps of this fraction; within a step by the order of ties. */
export const STEPS = 16_000;

const scores = new ScratchPool<Uint32Array>(Uint32Array);
const seen = new ScratchPool<Uint16Array>(Uint16Array);

/**
 * Works with the share of the query that each document of an index has by its words, in `STEPS`; 0 is no hit. The keys are
 * lent for the time of the work.
 */
export async function withWordKeys<Result>(
  index: WordIndex,
  words: ScoredWords,
  work: (keys: Uint16Array) => Promise<Result>,
): Promise<Result> {
  const full = fullScore(words.slots);
  const memory = { scores: scores.borrow(index.documentCount), seen: seen.borrow(index.documentCount) };
  await scoreWords(index, words, memory);
  // What `seen` held is not needed any more.
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
