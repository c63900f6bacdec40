import { searchByRelevance } from './relevance/search-by-relevance.ts';
import type { SearchOutcome, SearchParts, SearchRequest } from './request.ts';
import { searchAsSpecified } from './search-as-specified.ts';
import type { Target } from './targets.ts';

/** Searches the targets. Hits of equal score are ranked in the order of `targets`. */
export async function runSearch(
  parts: SearchParts,
  targets: readonly Target[],
  request: SearchRequest,
): Promise<SearchOutcome> {
  const since = performance.now();
  const outcome = await search(parts, targets, request);
  parts.metrics.searched({ semantic: outcome.reason, seconds: (performance.now() - since) / 1_000 });
  return outcome;
}

function search(
  parts: SearchParts,
  targets: readonly Target[],
  request: SearchRequest,
): Promise<SearchOutcome> {
  const { order, ...page } = request;
  if (order.rank === 'specified')
    return searchAsSpecified(parts, targets, { ...page, filters: order.filters });
  const { filters, sort, facets } = order;
  return searchByRelevance(parts, targets, { ...page, asked: filters, sort, facets });
}
