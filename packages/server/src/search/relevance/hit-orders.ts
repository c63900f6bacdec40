import type { DocumentSet } from '../../revision/keywords/keyword-index.ts';
import type { RelevanceIndex } from '../../revision/revision-index.ts';
import { type Browsed, browsePage } from '../browse.ts';
import type { FusedScore } from '../fusion.ts';
import type { HitPage, PageRange } from '../ranking.ts';
import type { VectorCandidate } from '../vectors/vector-search.ts';
import { RelevanceRanking, relevance } from './relevance-ranking.ts';
import { type Sort, SortedHits } from './sorted-hits.ts';

/** What was found in one index. */
export interface IndexHits {
  /**
   * The share of the query that each document matches, in units of 1 / `STEPS`; null if there is nothing to search for
   * and everything is a hit.
   */
  keys: Uint16Array | null;
  /** The documents that meet the conditions; null for all. */
  filter: DocumentSet | null;
}

/** Collects the hits of one index after another, in the order of the targets, and returns an ordered page of them. */
export interface HitOrder {
  add(target: number, opened: { index: RelevanceIndex; updatedAt: number }, found: IndexHits): Promise<void>;
  /** Ends the search. */
  page(): Promise<HitPage>;
}

export function hitOrder(
  sort: 'relevance' | Sort,
  { isBrowse, candidates }: { isBrowse: boolean; candidates: readonly VectorCandidate[] },
  range: PageRange,
): HitOrder {
  if (sort !== 'relevance') return sorted(sort, candidates, range);
  return isBrowse ? browsed(range) : ranked(candidates, range);
}

function ranked(candidates: readonly VectorCandidate[], range: PageRange): HitOrder {
  const ranking = new RelevanceRanking();
  return {
    add: async (_target, _opened, { keys, filter }) => ranking.add(keys ?? NOTHING, filter),
    page: () => ranking.page(candidates, range),
  };
}

/** Everything that meets the conditions, if there is nothing to search for. */
function browsed(range: PageRange): HitOrder {
  const targets: Browsed[] = [];
  return {
    add: async (_target, { index }, { filter, keys }) => {
      targets.push(keys === null ? (filter ?? index.assetCount) : 0);
    },
    page: async () => {
      const { total, places } = await browsePage(targets, range);
      return { total, hits: places.map(({ target, document }) => ({ target, document, ...UNSCORED })) };
    },
  };
}

function sorted(sort: Sort, candidates: readonly VectorCandidate[], range: PageRange): HitOrder {
  const hits = new SortedHits(sort, range);
  const near = Map.groupBy(candidates, ({ target }) => target);
  return {
    add: async (target, opened, { keys, filter }) => {
      const cosines = new Map(near.get(target)?.map(({ document, cosine }) => [document, cosine]));
      await hits.add(target, opened, (document) => {
        if (filter !== null && filter[document] === 0) return null;
        if (keys === null) return UNSCORED;
        const key = keys[document] ?? 0;
        const cosine = cosines.get(document) ?? null;
        return key === 0 && cosine === null ? null : relevance(key, cosine);
      });
    },
    page: async () => hits.page(),
  };
}

const NOTHING = new Uint16Array();
const UNSCORED: FusedScore = { cosine: null, keyword: null, vectorPart: null, keywordPart: null, score: 0 };
