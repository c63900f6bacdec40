import type { CrossLibraryHit, RelevanceFacets, SearchHit, SemanticReason } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { shareOf } from '../queries.ts';
import { service } from '../session.ts';
import type { PageSearch } from '../url.ts';

/** What is searched: one library, or everything that the viewer may read. */
export type Scope =
  | { kind: 'library'; namespace: string; library: string; share?: string | undefined }
  | { kind: 'everything' };

/** A hit with the library that it is in. */
export type Hit = SearchHit & Pick<CrossLibraryHit, 'namespace' | 'library'>;

export interface HitPage {
  total: number;
  hits: Hit[];
  /** The query with its mistyped words replaced, where the search did so. */
  didYouMean: string | undefined;
  /** On the first page alone. */
  facets: RelevanceFacets | undefined;
  /** Why the search was by meaning, or was not; null where an older service does not say. */
  reason: SemanticReason | null;
}

/** As the contract's `SEMANTIC_HEADER`. */
const SEMANTIC_HEADER = 'bindery-semantic';
const PAGE = 100;

/**
 * Hits by relevance, page by page. What was found before stays until the next answer is there, so that typing never empties
 * the page.
 */
export function hitsQuery(scope: Scope, search: PageSearch) {
  const { share: _, ...request } = search;
  return infiniteQueryOptions({
    queryKey: ['hits', scope, request],
    initialPageParam: 0,
    queryFn: ({ pageParam, signal }) => readPage(scope, request, pageParam, signal),
    getNextPageParam: ({ total }, pages) => {
      const known = pages.reduce((sum, { hits }) => sum + hits.length, 0);
      return known < total && pages.at(-1)?.hits.length !== 0 ? known : undefined;
    },
    placeholderData: keepPreviousData,
  });
}

async function readPage(
  scope: Scope,
  request: Omit<PageSearch, 'share'>,
  offset: number,
  signal: AbortSignal,
): Promise<HitPage> {
  const query = {
    ...request,
    ...(request.q && ({ explain: 'true' } as const)),
    ...(offset === 0 && ({ facets: 'true' } as const)),
    srcset: 'true' as const,
    limit: PAGE,
    offset,
  };
  if (scope.kind === 'everything') {
    const { body, headers } = await service.callWithHeaders(routes.search.searchEverything, {
      query,
      signal,
    });
    return { ...foundOf(body), hits: body.hits, reason: reasonOf(headers) };
  }
  const { namespace, library, share } = scope;
  const { library: _only, ...own } = query;
  const { body, headers } = await service.callWithHeaders(routes.search.searchLibrary, {
    params: { namespace, name: library },
    query: { ...own, rank: 'relevance', ...shareOf(share) },
    signal,
  });
  const hits = body.hits.map((hit) => ({ ...hit, namespace, library }));
  return { ...foundOf(body), hits, reason: reasonOf(headers) };
}

/** What the answers of both routes have alike. */
interface Found {
  total: number;
  didYouMean?: string | undefined;
  facets?: RelevanceFacets | undefined;
}

function foundOf({ total, didYouMean, facets }: Found) {
  return { total, didYouMean, facets };
}

function reasonOf(headers: Readonly<Record<string, string>>): SemanticReason | null {
  return (headers[SEMANTIC_HEADER] as SemanticReason | undefined) ?? null;
}
