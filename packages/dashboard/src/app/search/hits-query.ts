import type {
  CrossLibraryHit,
  Feature,
  ResponseOf,
  SearchHit,
  SearchMatch,
  SemanticReason,
} from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { readQuery } from '@bindery/sdk/browser';
import { hashKey, queryOptions } from '@tanstack/react-query';
import type { LibraryKey } from '../queries.ts';
import { service } from '../session.ts';
import type { PageSearch } from '../url.ts';

/** What is searched: one library, or everything that the viewer may read. */
export type Scope = ({ kind: 'library' } & LibraryKey) | { kind: 'everything' };

/** A hit with its library, and how that is read. */
export type Hit = SearchHit &
  Pick<CrossLibraryHit, 'namespace' | 'library'> & { read: ReturnType<typeof readQuery> };

/** An answer of the service; only the first page has facets. */
export type HitPage = Omit<ResponseOf<typeof routes.search.searchEverything>, 'hits' | 'skipped'> & {
  hits: Hit[];
  /** Why the search was semantic or was not; null if an older service does not report it. */
  reason: SemanticReason | null;
};

/** Same as the contract's `SEMANTIC_HEADER`. */
const SEMANTIC_HEADER = 'bindery-semantic';
export const HITS_PER_PAGE = 100;

/**
 * A page, from 0, of the hits that have words of the query, or that are only close in meaning, by relevance. The previous first page of the
 * same scope stays until the next response arrives, so that typing never empties the page.
 */
export function hitsQuery(scope: Scope, search: PageSearch, match: SearchMatch, page: number) {
  const { share: _, release: _release, asWords = [], ...filters } = search;
  const { q = '' } = filters;
  const own = asWords.filter((words) => q.includes(words));
  const criteria = { ...filters, ...(own.length > 0 && { asWords: own }) };
  // Without a query everything is listed.
  const request = criteria.q === undefined ? criteria : { ...criteria, match };
  return queryOptions({
    queryKey: ['hits', scope, request, match, page],
    queryFn: ({ signal }) => readPage(scope, request, page * HITS_PER_PAGE, signal),
    placeholderData: (before: HitPage | undefined, query) =>
      query !== undefined && hashKey([query.queryKey[1], query.queryKey[3]]) === hashKey([scope, match])
        ? before
        : undefined,
  });
}

async function readPage(
  scope: Scope,
  request: Omit<PageSearch, 'share' | 'release'> & { match?: SearchMatch },
  offset: number,
  signal: AbortSignal,
): Promise<HitPage> {
  const { has, ...others } = request;
  const query = {
    ...others,
    // The address has only those that exist.
    ...(has && { has: has as Feature[] }),
    ...(request.q && ({ explain: 'true' } as const)),
    ...(offset === 0 && ({ facets: 'true' } as const)),
    srcset: 'true' as const,
    limit: HITS_PER_PAGE,
    offset,
  };
  if (scope.kind === 'everything') {
    const { body, headers } = await service.callWithHeaders(routes.search.searchEverything, {
      query,
      signal,
    });
    const hits = body.hits.map((hit) => ({ ...hit, read: {} }));
    return { ...body, hits, reason: reasonOf(headers) };
  }
  const { namespace, library } = scope;
  const read = readQuery(scope);
  const { library: _only, ...own } = query;
  const { body, headers } = await service.callWithHeaders(routes.search.searchLibrary, {
    params: { namespace, name: library },
    query: { ...own, rank: 'relevance', ...read },
    signal,
  });
  const hits = body.hits.map((hit) => ({ ...hit, namespace, library, read }));
  return { ...body, hits, reason: reasonOf(headers) };
}

function reasonOf(headers: Readonly<Record<string, string>>): SemanticReason | null {
  return (headers[SEMANTIC_HEADER] as SemanticReason | undefined) ?? null;
}
