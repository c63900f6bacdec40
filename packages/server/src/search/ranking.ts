import {
  type FusedHit,
  type FusedScore,
  fuseCandidates,
  fusedScore,
  keywordRange,
  mergePage,
  type Span,
} from './fusion.ts';
import type { DocumentSet, KeywordIndex } from './keyword/keyword-index.ts';
import { mostHalfPoints, scoreKeywords } from './keyword/query.ts';
import { queryTokens } from './keyword/tokens.ts';
import { Pace } from './pace.ts';
import { rankPage } from './rank.ts';
import { ScratchPool } from './scratch.ts';
import type { VectorCandidate } from './vectors/vector-search.ts';

export interface PageRange {
  offset: number;
  limit: number;
}

export interface HitPage {
  /** Hits of all pages. */
  total: number;
  hits: FusedHit[];
}

const scratch = new ScratchPool();

/**
 * One search by keyword over one index after another. It keeps the scores of their documents, not the indexes. An empty
 * query browses: every document that passes the filters is a hit of score 0.
 */
export class Ranking {
  readonly #tokens: readonly string[];
  readonly #browse: boolean;
  readonly #pace = new Pace();
  readonly #keys: Uint16Array[] = [];

  constructor(query: string) {
    this.#tokens = queryTokens(query);
    this.#browse = query === '';
  }

  /** Finds the hits of one more index, among the documents that the filter leaves; null leaves all. */
  async add(index: KeywordIndex, filter: DocumentSet | null): Promise<void> {
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
  async page(range: PageRange): Promise<HitPage> {
    const highestKey = this.#browse ? 1 : mostHalfPoints(this.#tokens.length);
    const { total, places } = await rankPage(this.#keys, highestKey, range, this.#pace);
    this.#giveBack();
    const scoreOf = (key: number) => (this.#browse ? null : key / 2);
    return {
      total,
      hits: places.map(({ target, document, key }) => ({
        target,
        document,
        ...byKeywordAlone(scoreOf(key)),
      })),
    };
  }

  /**
   * A page of the keyword hits fused with the candidates by vector, the highest score first, then by the order of the
   * indexes, then by document number. `total` counts the candidates of both sides, each document once. Ends the search.
   */
  async fusedPage(candidates: readonly VectorCandidate[], range: PageRange): Promise<HitPage> {
    const { fused, spans } = fuseCandidates(candidates, this.#keywordScore, await this.#keywordSpan());
    for (const { target, document } of fused) (this.#keys[target] as Uint16Array)[document] = 0;
    const { total, places } = await rankPage(
      this.#keys,
      mostHalfPoints(this.#tokens.length),
      keywordRange(fused.length, range),
      this.#pace,
    );
    this.#giveBack();
    const hits = places.map(({ target, document, key }) => ({
      target,
      document,
      ...fusedScore(null, key / 2, spans),
    }));
    return mergePage(fused, { total, hits }, range);
  }

  readonly #keywordScore = ({ target, document }: VectorCandidate): number | null => {
    const key = this.#keys[target]?.[document] ?? 0;
    return key === 0 ? null : key / 2;
  };

  async #keywordSpan(): Promise<Span> {
    let least = Number.POSITIVE_INFINITY;
    let most = Number.NEGATIVE_INFINITY;
    for (const keys of this.#keys) {
      for (let document = 0; document < keys.length; document++) {
        const key = keys[document] as number;
        if (key === 0) continue;
        if (key < least) least = key;
        if (key > most) most = key;
      }
      await this.#pace.spend(keys.length);
    }
    return { least: least / 2, most: most / 2 };
  }

  #giveBack(): void {
    for (const keys of this.#keys.splice(0)) scratch.giveBack(keys);
  }
}

function byKeywordAlone(keyword: number | null): FusedScore {
  return { cosine: null, keyword, vectorPart: null, keywordPart: null, score: keyword ?? 0 };
}
