import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { DocumentSet, KeywordIndex } from '../revision/keywords/keyword-index.ts';
import { queryTokens } from '../revision/keywords/keyword-index.ts';
import { type Browsed, browsePage } from './browse.ts';
import {
  type FusedHit,
  type FusedScore,
  fuseCandidates,
  fusedScore,
  keywordRange,
  mergePage,
  type Span,
  spanOf,
} from './fusion.ts';
import { Hits } from './hits.ts';
import { maxHalfPoints, scoreKeywords } from './keyword/score.ts';
import { rankPage } from './rank.ts';
import { ScratchPool } from './scratch.ts';
import type { VectorCandidate } from './vectors/vector-search.ts';

export interface PageRange {
  offset: number;
  limit: number;
}

export interface HitPage {
  /** The number of hits on all pages. */
  total: number;
  hits: FusedHit[];
}

const scratch = new ScratchPool<Uint16Array>(Uint16Array);

/**
 * A keyword search over one index after another. It retains the hits, not the indexes. An empty query browses: every
 * document that passes the filters is a hit of score 0.
 */
export class Ranking {
  readonly #tokens: readonly string[];
  readonly #browse: boolean;
  readonly #browsed: Browsed[] = [];
  readonly #hits: Hits;

  constructor(query: string) {
    this.#tokens = queryTokens(query);
    this.#browse = query === '';
    this.#hits = new Hits(maxHalfPoints(this.#tokens.length));
  }

  /** Adds the hits of one more index, among the documents that the filter admits; null admits all. */
  async add(index: KeywordIndex, filter: DocumentSet | null): Promise<void> {
    const { documentCount } = index;
    if (this.#browse) {
      this.#browsed.push(filter ?? documentCount);
    } else {
      const memory = { halfPoints: scratch.borrow(documentCount), seen: scratch.borrow(documentCount) };
      await scoreKeywords(index, this.#tokens, memory);
      this.#hits.add(memory.halfPoints, filter);
      scratch.giveBack(memory.halfPoints);
      scratch.giveBack(memory.seen);
    }
    if (turnIsOver()) await nextTurn();
  }

  /**
   * Returns a page of all hits, ordered by descending score, then by index, then by document number. `total` counts the
   * hits on all pages. Ends the search and releases its memory for the next one.
   */
  async page(range: PageRange): Promise<HitPage> {
    const { total, places } = await (this.#browse
      ? browsePage(this.#browsed, range)
      : rankPage(this.#hits, range));
    this.#hits.release();
    const hits = places.map(({ target, document, key }) => ({
      target,
      document,
      ...byKeywordAlone(this.#browse ? null : key / 2),
    }));
    return { total, hits };
  }

  /**
   * Returns a page of the keyword hits fused with the candidates by vector, ordered by descending score, then by index,
   * then by document number. `total` counts the candidates of both sides, each document once. Ends the search.
   */
  async fusedPage(candidates: readonly VectorCandidate[], range: PageRange): Promise<HitPage> {
    const span = this.#keywordSpan();
    const keywords = candidates.map(
      ({ target, document }) => this.#hits.remove(target, document) / 2 || null,
    );
    const { fused, spans } = fuseCandidates(candidates, keywords, span);
    const { total, places } = await rankPage(this.#hits, keywordRange(fused.length, range));
    this.#hits.release();
    const hits = places.map(({ target, document, key }) => ({
      target,
      document,
      ...fusedScore(null, key / 2, spans),
    }));
    return mergePage(fused, { total, hits }, range);
  }

  #keywordSpan(): Span {
    const { counts } = this.#hits;
    const least = counts.findIndex((count) => count > 0);
    if (least < 0) return spanOf([]);
    return { least: least / 2, most: counts.findLastIndex((count) => count > 0) / 2 };
  }
}

function byKeywordAlone(keyword: number | null): FusedScore {
  return { cosine: null, keyword, vectorPart: null, keywordPart: null, score: keyword ?? 0 };
}
