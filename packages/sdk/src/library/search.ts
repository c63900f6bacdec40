import { routes } from '@bindery/contract/wire';
import type { Caller } from '../client/call.ts';
import { formatLibraryAddress, type LibraryAddress, libraryParams, readQuery } from './library-address.ts';

export interface SearchOptions {
  /** Where to search; null for everything that may be read. */
  libraries: readonly LibraryAddress[] | null;
  limit?: number | undefined;
  offset?: number | undefined;
  signal?: AbortSignal | undefined;
}

/** Finds assets, the most relevant first. Each hit names its library. */
export async function searchAssets(
  client: Caller,
  query: string,
  { libraries, limit, offset, signal }: SearchOptions,
) {
  const page = { q: query, limit, offset };
  const options = signal ? { signal } : {};
  if (libraries === null) return client.call(routes.search.searchEverything, { query: page, ...options });
  const ranked = { ...page, rank: 'relevance' as const };
  const [only, ...more] = libraries;
  if (only !== undefined && more.length === 0) {
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
