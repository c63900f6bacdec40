import type { CrossLibraryHit, FacetCounts, RelevanceFacets, SemanticReason } from '@bindery/contract';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { type CountRequest, countFacets } from './facets.ts';
import type { SearchRequest } from './request.ts';
import { runSearch } from './run-search.ts';
import { findTargets, parseTargets, qualifiedName } from './targets.ts';

interface CrossLibrarySearch {
  reason: SemanticReason;
  total: number;
  didYouMean?: string;
  facets?: RelevanceFacets;
  /** Targets that are missing or hidden, or whose index is lost and not rebuilt yet, in the order requested. */
  skipped: { library: string; reason: 'not_found' | 'unavailable' }[];
  hits: CrossLibraryHit[];
}

/** Searches several libraries as one; share tokens grant no access here. */
export async function searchLibraries(
  context: Context,
  viewer: Viewer,
  { libraries, ...request }: SearchRequest & { libraries: string },
): Promise<CrossLibrarySearch> {
  const asked = parseTargets(libraries);
  const found = await findTargets(context, viewer, asked);
  const { hits, searched, unreadable, ...rest } = await runSearch(context, found, request);
  const done = new Set(searched.map(qualifiedName));
  const lost = new Set(unreadable.map(({ target }) => qualifiedName(target)));
  return {
    ...rest,
    skipped: asked
      .map(qualifiedName)
      .filter((library) => !done.has(library))
      .map((library) => ({ library, reason: lost.has(library) ? 'unavailable' : 'not_found' })),
    hits: hits.map(({ target: { namespace, library }, hit }) => ({ namespace, library, ...hit })),
  };
}

/** Counts the hits of a search over several libraries by facet value, leaving out libraries that cannot be read. */
export async function countLibrariesFacets(
  context: Context,
  viewer: Viewer,
  { libraries, ...request }: CountRequest & { libraries: string },
): Promise<FacetCounts> {
  const found = await findTargets(context, viewer, parseTargets(libraries));
  return (await countFacets(context, found, request)).counts;
}
