import type {
  CrossLibraryHit,
  EverythingFilters,
  RelevanceFacets,
  SearchSort,
  SemanticReason,
} from '@bindery/contract';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { searchByRelevance } from './relevance/search-by-relevance.ts';
import { findReadable, qualifiedName } from './targets.ts';

interface EverythingRequest {
  q: string;
  limit: number;
  offset: number;
  explain: boolean;
  srcset?: boolean;
  /** Libraries are `namespace/name`. A library that the viewer cannot see has no hits. */
  filters: EverythingFilters;
  sort: SearchSort;
  facets: boolean;
}

interface EverythingFound {
  reason: SemanticReason;
  total: number;
  didYouMean?: string;
  facets?: RelevanceFacets;
  skipped: { library: string; reason: 'unavailable' }[];
  hits: CrossLibraryHit[];
}

/** Searches every library that the viewer is allowed to read. */
export async function searchEverything(
  context: Context,
  viewer: Viewer,
  { filters, ...request }: EverythingRequest,
): Promise<EverythingFound> {
  const since = performance.now();
  const readable = await findReadable(context, viewer);
  const {
    hits,
    searched: _,
    unreadable,
    ...found
  } = await searchByRelevance(context, readable, { ...request, asked: filters });
  context.metrics.searched({ semantic: found.reason, seconds: (performance.now() - since) / 1_000 });
  return {
    ...found,
    skipped: unreadable.map(({ target }) => ({ library: qualifiedName(target), reason: 'unavailable' })),
    hits: hits.map(({ target: { namespace, library: name }, hit }) => ({ namespace, library: name, ...hit })),
  };
}
