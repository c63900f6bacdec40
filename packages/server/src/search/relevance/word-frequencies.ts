import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { WordIndex } from '../../revision/words/word-index.ts';
import { countPostings } from './find-postings.ts';
import type { PostingsCache } from './postings-cache.ts';
import { MATCH_FACTORS, type Slot } from './slots.ts';

/** A word of the query with its frequency among all searched assets. */
export interface CountedSlot extends Slot {
  /** The most assets that one of its alternatives finds; prefixes count only if nothing else is found. */
  frequency: number;
}

/** Counts how often the words of a query occur in the searched assets, and only in those. */
export class WordFrequencies {
  documents = 0;
  /** Whether anything was found in each index, in the order of the indexes. */
  readonly hasFound: boolean[] = [];
  readonly #postings: PostingsCache;
  readonly #counts: { slot: Slot; having: number[]; fallback: number }[];

  constructor(slots: readonly Slot[], postings: PostingsCache) {
    this.#postings = postings;
    this.#counts = slots.map((slot) => ({ slot, having: slot.alternatives.map(() => 0), fallback: 0 }));
  }

  async add(index: WordIndex): Promise<void> {
    this.documents += index.documentCount;
    let hasFound = false;
    for (const count of this.#counts) {
      for (const [at, alternative] of count.slot.alternatives.entries()) {
        const found = countPostings(this.#postings.find(this.hasFound.length, index, alternative));
        hasFound ||= found > 0;
        count.having[at] = (count.having[at] as number) + found;
      }
      if (turnIsOver()) await nextTurn();
    }
    this.hasFound.push(hasFound);
  }

  /** Returns the words with those of their alternatives that occur in any asset. */
  slots(): CountedSlot[] {
    return this.#counts.map(({ slot, having }) => {
      const alternatives = slot.alternatives
        .filter((_, at) => having[at] !== 0)
        .sort((a, b) => MATCH_FACTORS[b.match] - MATCH_FACTORS[a.match]);
      const strong = having.filter((_, at) => slot.alternatives[at]?.match !== 'prefix');
      const most = Math.max(0, ...strong) || Math.max(0, ...having);
      return { ...slot, alternatives, frequency: Math.min(most, this.documents) };
    });
  }
}
