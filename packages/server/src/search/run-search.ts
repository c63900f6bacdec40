import type { SearchFilters, SearchHit, SemanticReason } from '@bindery/contract';
import { ServiceError } from '../errors.ts';
import { type OpenedRevision, openRevision } from '../libraries/revision/open.ts';
import type { Parts } from '../parts.ts';
import { describeHit } from './describe-hit.ts';
import { KeywordRanking, type ScoredDocument } from './keyword-ranking.ts';
import { ACTIVE_MODEL, semanticReason } from './semantic.ts';
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
  { q, limit, offset, ...filters }: SearchRequest,
): Promise<SearchOutcome> {
  const ranking = new KeywordRanking(q, filters);
  const searched: Target[] = [];
  for (const target of targets) {
    const opened = await openUnlessGone(parts, target);
    if (!opened) continue;
    await ranking.add(opened.index.keywords);
    searched.push({ ...target, row: opened.row });
  }
  const { total, hits } = await ranking.page({ offset, limit });
  const described: SearchOutcome['hits'] = [];
  for (const [at, places] of Map.groupBy(hits.keys(), (place) => hits[place]?.target ?? 0)) {
    const target = searched[at] as Target;
    const { index } = await openRevision(parts, target.row);
    for (const place of places) {
      const { document, score } = hits[place] as ScoredDocument;
      described[place] = { target, hit: describeHit(parts, target.row.store_id, index, document, score) };
    }
  }
  return {
    reason: semanticReason(
      q,
      ACTIVE_MODEL,
      searched.map(({ row }) => row.vectors_model),
    ),
    total,
    hits: described,
    searched,
  };
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
