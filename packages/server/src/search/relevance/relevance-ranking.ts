import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import { compareFused, type FusedHit, type FusedScore, keywordRange, mergePage } from '../fusion.ts';
import { Hits } from '../hits.ts';
import { rankPage } from '../rank.ts';
import type { HitPage, PageRange } from '../ranking.ts';
import type { VectorCandidate } from '../vectors/vector-search.ts';
import { STEPS } from './word-keys.ts';

/** The weight of words in the score; that of the cosine is 1. */
export const WORDS_WEIGHT = 2;

/**
 * Ranks by relevance over one index after another: `2 × share + cosine`, where the share, from 0 to 1, is how much of
 * the query an asset matches by its words. Both are absolute, so hits of different libraries, models and queries are
 * comparable.
 */
export class RelevanceRanking {
  readonly #hits = new Hits(STEPS);

  /** Adds the hits of one more index from the keys of its documents, if the filter admits them; null admits all. */
  add(keys: Uint16Array, filter: DocumentSet | null): void {
    this.#hits.add(keys, filter);
  }

  /**
   * Returns a page of the hits by words together with the candidates by vector, if any, ordered by descending score,
   * then by index, then by document number. Ends the search.
   */
  async page(candidates: readonly VectorCandidate[], range: PageRange): Promise<HitPage> {
    const fused = candidates
      .map(({ target, document, cosine }): FusedHit => {
        const key = this.#hits.remove(target, document);
        return { target, document, ...relevance(key, cosine) };
      })
      .sort(compareFused);
    const { total, places } = await rankPage(this.#hits, keywordRange(fused.length, range));
    this.#hits.release();
    const hits = places.map(({ target, document, key }) => ({ target, document, ...relevance(key, null) }));
    return mergePage(fused, { total, hits }, range);
  }
}

/** Returns the score of a hit from the key of its words, 0 for none, and its cosine, null for none. */
export function relevance(key: number, cosine: number | null): FusedScore {
  const keyword = key === 0 ? null : key / STEPS;
  const keywordPart = keyword === null ? null : WORDS_WEIGHT * keyword;
  return { keyword, cosine, keywordPart, vectorPart: cosine, score: (keywordPart ?? 0) + (cosine ?? 0) };
}
