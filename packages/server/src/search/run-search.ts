import type { SearchFilters, SearchHit, SemanticReason } from '@bindery/contract';
import { unlessLost } from '../objects/damaged.ts';
import type { Parts } from '../parts.ts';
import { queryTokens } from '../revision/keywords/tokens.ts';
import { nextTurn, turnIsOver } from '../service/turns.ts';
import { findByVector, type VectorTarget, vectorTarget } from './by-vector.ts';
import { describeHit } from './describe-hit.ts';
import { explainHit } from './explain-hit.ts';
import type { FusedHit } from './fusion.ts';
import { openTargets, type Unreadable } from './open-targets.ts';
import { Ranking } from './ranking.ts';
import type { Target } from './targets.ts';

export interface SearchRequest extends SearchFilters {
  q: string;
  limit: number;
  offset: number;
  /** Explains the rank of every hit. */
  explain?: boolean;
}

export interface SearchOutcome {
  reason: SemanticReason;
  /** Hits before pagination. */
  total: number;
  hits: { target: Target; hit: SearchHit }[];
  /** The targets that were searched: all except those that disappeared in the meantime or cannot be read. */
  searched: Target[];
  /** Why existing targets cannot be read. */
  unreadable: Unreadable[];
}

export type SearchParts = Pick<
  Parts,
  'db' | 'objects' | 'revisions' | 'indexMender' | 'encoder' | 'vectors' | 'log' | 'metrics'
>;

/** Searches the targets, in the order in which hits of equal score are to come. */
export async function runSearch(
  parts: SearchParts,
  targets: readonly Target[],
  request: SearchRequest,
): Promise<SearchOutcome> {
  const since = performance.now();
  const outcome = await searchOnce(parts, targets, request);
  parts.metrics.searched({ semantic: outcome.reason, seconds: (performance.now() - since) / 1_000 });
  return outcome;
}

async function searchOnce(
  parts: SearchParts,
  targets: readonly Target[],
  request: SearchRequest,
): Promise<SearchOutcome> {
  const { q, limit, offset, explain, ...filters } = request;
  const ranking = new Ranking(q);
  const byVector: VectorTarget[] = [];
  const searched: Target[] = [];
  const unreadable: Unreadable[] = [];
  for await (const [target, opened] of openTargets(parts, targets, unreadable)) {
    const filter = opened.index.keywords.select(filters);
    await ranking.add(opened.index.keywords, filter);
    byVector.push(vectorTarget(opened, filter));
    searched.push({ ...target, row: opened.row });
  }
  const { reason, candidates } = await findByVector(parts, q, byVector);
  const range = { offset, limit };
  const { total, hits: ranked } = await (candidates
    ? ranking.fusedPage(candidates, range)
    : ranking.page(range));
  const hits = await describeHits(parts, searched, ranked, explain ? queryTokens(q) : null);
  // A library whose index was lost between ranking and description is gone, or mended, when the search runs again.
  if (!hits) return searchOnce(parts, targets, request);
  return { reason, total, hits, searched, unreadable };
}

/**
 * The hits in order, with explanations for the tokens of a query; null if the revision that was ranked is gone.
 */
async function describeHits(
  parts: Pick<Parts, 'objects' | 'revisions'>,
  searched: readonly Target[],
  ranked: readonly FusedHit[],
  explained: readonly string[] | null,
): Promise<SearchOutcome['hits'] | null> {
  const hits: SearchOutcome['hits'] = [];
  for (const [at, target] of searched.entries()) {
    const own = [...ranked.entries()].filter(([, hit]) => hit.target === at);
    if (own.length === 0) continue;
    const { store_id: storeId, index_sha256: sha256 } = target.row;
    const index = await unlessLost(parts.revisions.load({ storeId, sha256 }));
    if (!index) return null;
    for (const [place, ranked] of own) {
      const hit = describeHit(parts, storeId, index, ranked.document, ranked.score);
      if (explained) hit.explain = explainHit(explained, hit, ranked);
      hits[place] = { target, hit };
      if (turnIsOver()) await nextTurn();
    }
  }
  return hits;
}
