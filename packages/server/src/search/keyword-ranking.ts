import type { Filters, KeywordIndex } from './keyword/keyword-index.ts';
import { mostHalfPoints, scoreKeywords } from './keyword/query.ts';
import { queryTokens } from './keyword/tokens.ts';
import { Pace } from './pace.ts';
import { rankPage } from './rank.ts';
import { ScratchPool } from './scratch.ts';

export interface KeywordRequest {
  /** Empty: browse, in which every document that passes the filters is a hit of score 0. */
  q: string;
  filters: Filters;
  offset: number;
  limit: number;
}

export interface ScoredDocument {
  /** Position of the index among those searched. */
  target: number;
  document: number;
  score: number;
}

const scratch = new ScratchPool();

/**
 * Ranks the documents of several indexes by keyword score, then by the order of the indexes, then by document
 * number. `total` counts all hits; `hits` are those of the page.
 */
export async function rankByKeyword(
  indexes: readonly KeywordIndex[],
  { q, filters, offset, limit }: KeywordRequest,
): Promise<{ total: number; hits: ScoredDocument[] }> {
  const tokens = queryTokens(q);
  const browse = q === '';
  const borrowed: Uint16Array[] = [];
  const borrow = (length: number) => {
    const array = scratch.borrow(length);
    borrowed.push(array);
    return array;
  };
  const pace = new Pace();
  const targets: Uint16Array[] = [];
  for (const index of indexes) {
    const filter = index.select(filters);
    const halfPoints = borrow(index.documentCount);
    targets.push(halfPoints);
    if (!browse) {
      const seen = borrow(index.documentCount);
      await scoreKeywords(index, tokens, filter, { halfPoints, seen }, pace);
    } else if (filter) halfPoints.set(filter);
    else halfPoints.fill(1);
    await pace.spend(index.documentCount);
  }
  const { total, places } = await rankPage(
    targets,
    browse ? 1 : mostHalfPoints(tokens.length),
    { offset, limit },
    pace,
  );
  for (const array of borrowed) scratch.giveBack(array);
  return {
    total,
    hits: places.map(({ target, document, key }) => ({ target, document, score: browse ? 0 : key / 2 })),
  };
}
