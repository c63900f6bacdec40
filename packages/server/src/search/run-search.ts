import type { Context } from '../context.ts';
import { searchByRelevance } from './relevance/search-by-relevance.ts';
import type { SearchOutcome, SearchRequest } from './request.ts';
import { searchAsSpecified } from './search-as-specified.ts';
import type { Target } from './targets.ts';

/** Searches the targets. Hits of equal score are ranked in the order of `targets`. */
export async function runSearch(
  context: Context,
  targets: readonly Target[],
  request: SearchRequest,
): Promise<SearchOutcome> {
  const since = performance.now();
  const outcome = await search(context, targets, request);
  context.metrics.searched({ semantic: outcome.reason, seconds: (performance.now() - since) / 1_000 });
  return outcome;
}

function search(
  context: Context,
  targets: readonly Target[],
  request: SearchRequest,
): Promise<SearchOutcome> {
  const { order, ...page } = request;
  if (order.rank === 'specified')
    return searchAsSpecified(context, targets, { ...page, filters: order.filters });
  const { filters, sort, facets } = order;
  return searchByRelevance(context, targets, { ...page, asked: filters, sort, facets });
}
