import type { WordIndex } from '../../revision/words/word-index.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import { findPostings } from './find-postings.ts';
import { MATCH_FACTORS, type Slot } from './slots.ts';

/** A word of the query with what all searched assets say of it. */
export interface SurveyedSlot extends Slot {
  /** The most assets that one of its alternatives finds. */
  having: number;
}

/** How often the words of a query are in the assets that are searched, and in no others. */
export class Survey {
  documents = 0;
  readonly #counts: { slot: Slot; having: number[]; fallback: number }[];

  constructor(slots: readonly Slot[]) {
    this.#counts = slots.map((slot) => ({ slot, having: slot.alternatives.map(() => 0), fallback: 0 }));
  }

  async add(index: WordIndex): Promise<void> {
    this.documents += index.documentCount;
    for (const count of this.#counts) {
      for (const [at, alternative] of count.slot.alternatives.entries()) {
        for (const postings of findPostings(index, alternative))
          count.having[at] = (count.having[at] as number) + postings.length;
      }
      if (turnIsOver()) await nextTurn();
    }
  }

  /** The words with the alternatives that are anywhere. */
  slots(): SurveyedSlot[] {
    return this.#counts.map(({ slot, having }) => {
      const alternatives = slot.alternatives
        .filter((_, at) => having[at] !== 0)
        .sort((a, b) => MATCH_FACTORS[b.match] - MATCH_FACTORS[a.match]);
      const strong = having.filter((_, at) => slot.alternatives[at]?.match !== 'prefix');
      const most = Math.max(0, ...strong) || Math.max(0, ...having);
      return { ...slot, alternatives, having: Math.min(most, this.documents) };
    });
  }
}
