import type { WordIndex } from '../../revision/words/word-index.ts';
import { type FoundPostings, findPostings } from './find-postings.ts';
import type { Alternative } from './slots.ts';

/** How many places one search remembers; further ones are looked up again by every pass. */
const MAX_REMEMBERED = 1_000_000;

/**
 * Remembers where one search found the postings of each alternative, so that its passes look them up once. It stores
 * only numbers and retains no index.
 */
export class PostingsCache {
  readonly #ranges = new Map<Alternative, (readonly number[])[]>();
  #left = MAX_REMEMBERED;

  /** @param at the position of the index among the searched indexes, the same in every pass */
  find(at: number, index: WordIndex, alternative: Alternative): FoundPostings {
    const { values } = index.lists;
    const known = this.#ranges.get(alternative)?.[at];
    if (known !== undefined) return { values, ranges: known };
    const found = findPostings(index, alternative);
    if (found.values === values) this.#remember(at, alternative, found.ranges);
    return found;
  }

  #remember(at: number, alternative: Alternative, ranges: readonly number[]): void {
    this.#left -= 1 + ranges.length;
    if (this.#left < 0) return;
    const known = this.#ranges.get(alternative);
    if (known) known[at] = ranges;
    else {
      const own: (readonly number[])[] = [];
      own[at] = ranges;
      this.#ranges.set(alternative, own);
    }
  }
}
