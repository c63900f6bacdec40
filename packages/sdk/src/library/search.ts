import type { QueryInputOf, SearchFilter } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import type { Caller } from '../client/call.ts';
import { formatLibraryAddress, type LibraryAddress, libraryParams, readQuery } from './library-address.ts';

type EverythingQuery = QueryInputOf<(typeof routes)['search']['searchEverything']>;

/**
 * Only assets with one of these values, in any letter case; with all of `has`. A `license` can be a class of licences,
 * such as `permissive`; of measures, values are ranges such as `..5`, `2..5`, `2..`. `asWords` has parts of the query that
 * are words to search for, where they would otherwise be read as a filter.
 */
export type SearchFilters = Pick<EverythingQuery, Exclude<SearchFilter, 'library'> | 'asWords'>;

export interface SearchOptions extends SearchFilters {
  /** Where to search, a release alone; null for everything that may be read. */
  libraries: readonly LibraryAddress[] | null;
  /** Whether to count the values that the hits have. */
  facets?: EverythingQuery['facets'];
  limit?: number | undefined;
  offset?: number | undefined;
  signal?: AbortSignal | undefined;
}

export type FoundAssets = Awaited<ReturnType<typeof searchAssets>>;

/**
 * Finds assets, the most relevant first. Each hit names its library. Libraries that are missing or hidden are listed in
 * `skipped`; a release that is throws `not_found`.
 */
export async function searchAssets(
  client: Caller,
  query: string,
  { libraries, signal, ...asked }: SearchOptions,
) {
  const page = { q: query, ...asked };
  const options = signal ? { signal } : {};
  if (libraries === null) return client.call(routes.search.searchEverything, { query: page, ...options });
  const ranked = { ...page, rank: 'relevance' as const };
  const [only] = libraries;
  if (only?.release !== undefined && libraries.length === 1) {
    const { hits, ...found } = await client.call(routes.search.searchLibrary, {
      params: libraryParams(only),
      query: { ...ranked, ...readQuery(only) },
      ...options,
    });
    const { namespace, name: library } = only;
    return { ...found, skipped: [], hits: hits.map((hit) => ({ namespace, library, ...hit })) };
  }
  return client.call(routes.search.searchLibraries, {
    query: { ...ranked, libraries: libraries.map(formatLibraryAddress).join(',') },
    ...options,
  });
}
