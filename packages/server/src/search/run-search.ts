import type { SearchFilters, SearchHit, SemanticReason } from '@bindery/contract';
import { ServiceError } from '../errors.ts';
import { type OpenedRevision, openRevision } from '../libraries/revision/open.ts';
import { unlessMissing } from '../objects/missing.ts';
import type { Parts } from '../parts.ts';
import { describeHit } from './describe-hit.ts';
import { KeywordRanking, type ScoredDocument } from './keyword-ranking.ts';
import { semanticReason } from './semantic.ts';
import type { Target } from './targets.ts';

export interface SearchRequest extends SearchFilters {
  q: string;
  limit: number;
  offset: number;
}

export interface SearchOutcome {
  reason: SemanticReason;
  /** Hits before pagination. */
  total: number;
  hits: { target: Target; hit: SearchHit }[];
  /** The targets that were searched: all but those that went away in the meantime. */
  searched: Target[];
}

/** Searches the targets, in the order in which hits of equal score are to come. */
export async function runSearch(
  parts: Pick<Parts, 'db' | 'objects' | 'revisions'>,
  targets: readonly Target[],
  request: SearchRequest,
): Promise<SearchOutcome> {
  const { q, limit, offset, ...filters } = request;
  const ranking = new KeywordRanking(q, filters);
  const searched: Target[] = [];
  for (const target of targets) {
    const opened = await openUnlessGone(parts, target);
    if (!opened) continue;
    await ranking.add(opened.index.keywords);
    searched.push({ ...target, row: opened.row });
  }
  const { total, hits: ranked } = await ranking.page({ offset, limit });
  const hits = await describeHits(parts, searched, ranked);
  // A library that was purged between ranking and description is gone when the search runs again.
  if (!hits) return runSearch(parts, targets, request);
  const rows = searched.map(({ row }) => row);
  return { reason: semanticReason(q, null, rows), total, hits, searched };
}

/** The hits in their order; null where the very revision that was ranked is gone. */
async function describeHits(
  parts: Pick<Parts, 'objects' | 'revisions'>,
  searched: readonly Target[],
  ranked: readonly ScoredDocument[],
): Promise<SearchOutcome['hits'] | null> {
  const hits: SearchOutcome['hits'] = [];
  for (const [at, target] of searched.entries()) {
    const own = [...ranked.entries()].filter(([, hit]) => hit.target === at);
    if (own.length === 0) continue;
    const { store_id: storeId, index_sha256: sha256 } = target.row;
    const index = await unlessMissing(parts.revisions.load({ storeId, sha256 }));
    if (!index) return null;
    for (const [place, { document, score }] of own) {
      hits[place] = { target, hit: describeHit(parts, storeId, index, document, score) };
    }
  }
  return hits;
}

async function openUnlessGone(
  parts: Pick<Parts, 'db' | 'revisions'>,
  { row }: Target,
): Promise<OpenedRevision | null> {
  try {
    return await openRevision(parts, row);
  } catch (error) {
    if (error instanceof ServiceError && error.code === 'not_found') return null;
    throw error;
  }
}
