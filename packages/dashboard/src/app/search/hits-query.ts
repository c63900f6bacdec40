import type { CrossLibraryHit, SearchHit, SemanticReason } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { infiniteQueryOptions, keepPreviousData } from '@tanstack/react-query';
import { shareOf } from '../queries.ts';
import { service } from '../session.ts';
import type { PageSearch } from '../url.ts';

/** What is searched: one library, or several by their addresses `namespace/name`. */
export type Scope =
  | { kind: 'library'; namespace: string; library: string; share?: string | undefined }
  | { kind: 'libraries'; addresses: readonly string[] };

/** A hit with the library that it is in. */
export type Hit = SearchHit & Pick<CrossLibraryHit, 'namespace' | 'library'>;

export interface HitPage {
  total: number;
  hits: Hit[];
  /** Why the search was by meaning, or was not; null where an older service does not say. */
  reason: SemanticReason | null;
}

/** As the contract's `SEMANTIC_HEADER`. */
const SEMANTIC_HEADER = 'bindery-semantic';
const PAGE = 100;

/** Hits page by page. What was found before stays until the next answer is there, so that typing never empties the page. */
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
    enabled: scope.kind === 'library' || scope.addresses.length > 0,
  });
}

async function readPage(
  scope: Scope,
  request: Omit<PageSearch, 'share'>,
  offset: number,
  signal: AbortSignal,
): Promise<HitPage> {
  const explain = request.q ? ({ explain: 'true' } as const) : {};
  const query = { ...request, ...explain, srcset: 'true' as const, limit: PAGE, offset };
  if (scope.kind === 'library') {
    const { namespace, library, share } = scope;
    const { body, headers } = await service.callWithHeaders(routes.search.searchLibrary, {
      params: { namespace, name: library },
      query: { ...query, ...shareOf(share) },
      signal,
    });
    const hits = body.hits.map((hit) => ({ ...hit, namespace, library }));
    return { total: body.total, hits, reason: reasonOf(headers) };
  }
  const { body, headers } = await service.callWithHeaders(routes.search.searchLibraries, {
    query: { ...query, libraries: scope.addresses.join(',') },
    signal,
  });
  return { total: body.total, hits: body.hits, reason: reasonOf(headers) };
}

function reasonOf(headers: Readonly<Record<string, string>>): SemanticReason | null {
  return (headers[SEMANTIC_HEADER] as SemanticReason | undefined) ?? null;
}
