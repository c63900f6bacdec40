import type { SearchFilters, SearchHit } from '@bindery/contract';
import type { Context } from '../context.ts';
import { queryTokens } from '../revision/keywords/keyword-index.ts';
import { findByVector, type VectorTarget, vectorTarget } from './by-vector.ts';
import { describeHits } from './describe-hits.ts';
import type { FusedHit } from './fusion.ts';
import { explainHit } from './keyword.ts';
import { Ranking } from './ranking.ts';
import type { SearchOutcome, SearchRequest } from './request.ts';
import { openTargets, type Target, type UnreadableTarget } from './targets.ts';

type SpecifiedRequest = Omit<SearchRequest, 'order'> & { filters: SearchFilters };

/** Searches in the order of the specification, "Search and ranking rules". */
export async function searchAsSpecified(
  context: Context,
  targets: readonly Target[],
  request: SpecifiedRequest,
): Promise<SearchOutcome> {
  const { q, limit, offset, explain, srcset = false, filters } = request;
  const ranking = new Ranking(q);
  const byVector: VectorTarget[] = [];
  const searched: Target[] = [];
  const unreadable: UnreadableTarget[] = [];
  for await (const [target, opened] of openTargets(context, targets, unreadable)) {
    const filter = opened.index.keywords.select(filters);
    await ranking.add(opened.index.keywords, filter);
    byVector.push(vectorTarget(opened, filter));
    searched.push({ ...target, row: opened.row });
  }
  const { reason, candidates } = await findByVector(context, q, byVector);
  const range = { offset, limit };
  const { total, hits: ranked } = await (candidates
    ? ranking.fusedPage(candidates, range)
    : ranking.page(range));
  const tokens = queryTokens(q);
  const explainOne = explain ? (hit: SearchHit, score: FusedHit) => explainHit(tokens, hit, score) : null;
  const hits = await describeHits(context, searched, ranked, explainOne, srcset);
  // If an index was lost between ranking and description, the next run finds the library deleted or its index rebuilt.
  if (!hits) return searchAsSpecified(context, targets, request);
  return { reason, total, hits, searched, unreadable };
}
