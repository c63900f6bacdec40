import type { Filters, KeywordIndex } from './keyword/keyword-index.ts';
import { mostHalfPoints, scoreKeywords } from './keyword/query.ts';
import { queryTokens } from './keyword/tokens.ts';
import { Pace } from './pace.ts';
import { rankPage } from './rank.ts';
import { ScratchPool } from './scratch.ts';

export interface ScoredDocument {
  /** Which index it is of, counted in the order in which they were added. */
  target: number;
  document: number;
  score: number;
}

const scratch = new ScratchPool();

/**
 * One search by keyword over one index after another. It keeps the scores of their documents, not the indexes. An empty
 * query browses: every document that passes the filters is a hit of score 0.
 */
export class KeywordRanking {
  readonly #tokens: readonly string[];
  readonly #browse: boolean;
  readonly #filters: Filters;
  readonly #pace = new Pace();
  readonly #keys: Uint16Array[] = [];

  constructor(query: string, filters: Filters) {
    this.#tokens = queryTokens(query);
    this.#browse = query === '';
    this.#filters = filters;
  }

  /** Finds the hits of one more index. */
  async add(index: KeywordIndex): Promise<void> {
    const filter = index.select(this.#filters);
    const keys = scratch.borrow(index.documentCount);
    this.#keys.push(keys);
    if (!this.#browse) {
      const seen = scratch.borrow(index.documentCount);
      await scoreKeywords(index, this.#tokens, filter, { halfPoints: keys, seen }, this.#pace);
      scratch.giveBack(seen);
    } else if (filter) keys.set(filter);
    else keys.fill(1);
    await this.#pace.spend(index.documentCount);
  }

  /**
   * A page of all hits, the highest score first, then by the order of the indexes, then by document number. `total`
   * counts the hits of all pages. Ends the search: the memory of its scores goes to the next one.
   */
  async page(range: { offset: number; limit: number }): Promise<{ total: number; hits: ScoredDocument[] }> {
    const highestKey = this.#browse ? 1 : mostHalfPoints(this.#tokens.length);
    const { total, places } = await rankPage(this.#keys, highestKey, range, this.#pace);
    for (const keys of this.#keys.splice(0)) scratch.giveBack(keys);
    const scoreOf = (key: number) => (this.#browse ? 0 : key / 2);
    return {
      total,
      hits: places.map(({ target, document, key }) => ({ target, document, score: scoreOf(key) })),
    };
  }
}
