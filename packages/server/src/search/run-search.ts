import { searchByRelevance } from './relevance/search-by-relevance.ts';
import type { SearchOutcome, SearchParts, SearchRequest } from './request.ts';
import { searchAsSpecified } from './search-as-specified.ts';
import type { Target } from './targets.ts';

/** Searches the targets, in the order in which hits of equal score are to come. */
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
  if (request.rank !== 'relevance') return searchAsSpecified(parts, targets, request);
  const { q, limit, offset, explain = false, rank: _, ...filters } = request;
  return searchByRelevance(parts, targets, {
    q,
    limit,
    offset,
    explain,
    select: (keywords) => keywords.select(filters),
  });
}
