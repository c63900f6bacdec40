import { nextTurn, turnIsOver } from '../process/turns.ts';
import { type DocumentSet, type KeywordIndex, queryTokens } from '../revision/keywords/keyword-index.ts';
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
import { Hits, ScratchPool } from './hits.ts';
import { maxHalfPoints, scoreKeywords } from './keyword.ts';
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
      this.#hits.add(this.#hits.targets, memory.halfPoints, filter);
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

/** One hit of a ranking: which document of which target, and its key. */
interface RankedHit {
  target: number;
  document: number;
  key: number;
}

interface RankedPage {
  /** All hits, before pagination. */
  total: number;
  places: RankedHit[];
}

/**
 * Ranks hits by key, highest first; ties go to the earlier target, then to the lower document. Takes one pass whatever
 * the offset: the number of hits with each key determines the rank of each hit as it is visited.
 */
export async function rankPage(
  hits: Hits,
  { offset, limit }: { offset: number; limit: number },
): Promise<RankedPage> {
  const end = offset + limit;
  const { total, nextRank, lowestKey } = firstRanks(hits.counts, end);
  const places: RankedHit[] = [];
  let wanted = Math.max(0, Math.min(end, total) - offset);
  for (let target = 0; target < hits.targets && wanted > 0; target++) {
    const { documents, keys } = hits.of(target);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at] as number;
      if (key < lowestKey) continue;
      const rank = nextRank[key] as number;
      nextRank[key] = rank + 1;
      if (rank < offset || rank >= end) continue;
      places[rank - offset] = { target, document: documents[at] as number, key };
      wanted--;
    }
    if (turnIsOver()) await nextTurn();
  }
  return { total, places };
}

/** Returns the rank of the first hit with each key, and the lowest key of a hit that ranks before `end`. */
function firstRanks(counts: Uint32Array, end: number) {
  const nextRank = new Float64Array(counts.length);
  let total = 0;
  let lowestKey = 1;
  for (let key = counts.length - 1; key > 0; key--) {
    if (total < end) lowestKey = key;
    nextRank[key] = total;
    total += counts[key] as number;
  }
  return { total, nextRank, lowestKey };
}

/** What is browsed of one target: all documents, given by their number, or those in a set. */
export type Browsed = number | DocumentSet;

/** Returns a page of everything, ordered by target, then by document. */
export async function browsePage(
  targets: readonly Browsed[],
  { offset, limit }: { offset: number; limit: number },
): Promise<RankedPage> {
  const page: RankedPage = { total: 0, places: [] };
  for (const [target, browsed] of targets.entries()) {
    const start = Math.max(0, offset - page.total);
    const documents = documentsOf(browsed, start, limit - page.places.length);
    for (const document of documents) page.places.push({ target, document, key: 0 });
    page.total += countOf(browsed);
    if (turnIsOver()) await nextTurn();
  }
  return page;
}

function countOf(browsed: Browsed): number {
  if (typeof browsed === 'number') return browsed;
  let count = 0;
  for (let document = 0; document < browsed.length; document++) count += browsed[document] as number;
  return count;
}

/** Returns at most `limit` documents after the first `start`. */
function documentsOf(browsed: Browsed, start: number, limit: number): number[] {
  if (typeof browsed === 'number') {
    const length = Math.max(0, Math.min(limit, browsed - start));
    return Array.from({ length }, (_, place) => start + place);
  }
  const documents: number[] = [];
  let left = start;
  for (let document = 0; document < browsed.length && documents.length < limit; document++) {
    if (browsed[document] === 0) continue;
    if (left > 0) left--;
    else documents.push(document);
  }
  return documents;
}
