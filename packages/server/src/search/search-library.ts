import type { FacetCounts, RelevanceFacets, SearchHit, SemanticReason } from '@bindery/contract';
import { loadLibrary, type RevisionAddress } from '../access/libraries.ts';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { notFound } from '../errors.ts';
import { type CountRequest, countFacets } from './facets.ts';
import type { SearchRequest } from './request.ts';
import { runSearch } from './run-search.ts';

interface LibrarySearch {
  reason: SemanticReason;
  total: number;
  didYouMean?: string;
  facets?: RelevanceFacets;
  hits: SearchHit[];
}

/** Searches one library, to which a share token can grant access. */
export async function searchLibrary(
  context: Context,
  viewer: Viewer,
  address: RevisionAddress,
  readRequest: () => SearchRequest,
): Promise<LibrarySearch> {
  const { row } = await loadLibrary(context.db, viewer, address);
  const request = readRequest();
  const { searched, unreadable, hits, ...found } = await runSearch(
    context,
    [{ namespace: address.namespace, library: address.name, row }],
    request,
  );
  if (searched.length === 0) throw unreadable[0]?.error ?? notFound();
  return { ...found, hits: hits.map(({ hit }) => hit) };
}

/** Counts the hits of a search in one library by facet value. */
export async function countLibraryFacets(
  context: Context,
  viewer: Viewer,
  address: RevisionAddress,
  readRequest: () => CountRequest,
): Promise<FacetCounts> {
  const { row } = await loadLibrary(context.db, viewer, address);
  const target = { namespace: address.namespace, library: address.name, row };
  const { counts, opened, unreadable } = await countFacets(context, [target], readRequest());
  if (opened.length === 0) throw unreadable[0]?.error ?? notFound();
  return counts;
}
