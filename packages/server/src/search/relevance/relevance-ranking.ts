import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import { compareFused, type FusedHit, type FusedScore, keywordRange, mergePage } from '../fusion.ts';
import { Hits } from '../hits.ts';
import { rankPage } from '../rank.ts';
import type { HitPage, PageRange } from '../ranking.ts';
import type { VectorCandidate } from '../vectors/vector-search.ts';
import { STEPS } from './word-keys.ts';

/** What words count in the score, beside the cosine, which counts as it is. */
export const WORDS_WEIGHT = 2;

/**
 * Ranks by relevance over one index after another: `2 × share + cosine`, where the share, from 0 to 1, says how much of
 * the query an asset has by its words. Both are absolute, so hits of any libraries, models and queries compare.
 */
export class RelevanceRanking {
  readonly #hits = new Hits(STEPS);

  /** Takes the hits of one more index, by the keys of its documents, among those that the filter leaves; null leaves all. */
  add(keys: Uint16Array, filter: DocumentSet | null): void {
    this.#hits.add(keys, filter);
  }

  /**
   * A page of the hits by words together with the candidates by vector, if any, the highest score first, then by the order
   * of the indexes, then by document number. Ends the search.
   */
  async page(candidates: readonly VectorCandidate[], range: PageRange): Promise<HitPage> {
    const fused = candidates
      .map(({ target, document, cosine }): FusedHit => {
        const key = this.#hits.take(target, document);
        return { target, document, ...relevance(key, cosine) };
      })
      .sort(compareFused);
    const { total, places } = await rankPage(this.#hits, keywordRange(fused.length, range));
    this.#hits.release();
    const hits = places.map(({ target, document, key }) => ({ target, document, ...relevance(key, null) }));
    return mergePage(fused, { total, hits }, range);
  }
}

/** The score of a hit by the key of its words, 0 for none, and its cosine, null for none. */
export function relevance(key: number, cosine: number | null): FusedScore {
  const keyword = key === 0 ? null : key / STEPS;
  const keywordPart = keyword === null ? null : WORDS_WEIGHT * keyword;
  return { keyword, cosine, keywordPart, vectorPart: cosine, score: (keywordPart ?? 0) + (cosine ?? 0) };
}
