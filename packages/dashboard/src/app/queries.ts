import type { AssetDetail, Manifest } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { findSimilarAssets, readQuery } from '@bindery/sdk/browser';
import { infiniteQueryOptions, keepPreviousData, queryOptions } from '@tanstack/react-query';
import { queries, queryOf, readSession, SESSION_KEY, service } from './session.ts';

const MINUTE = 60_000;

/** Who is signed in. Refetched when the page regains focus, because another tab may have signed out. */
export const sessionQuery = queryOptions({
  queryKey: SESSION_KEY,
  queryFn: readSession,
  staleTime: MINUTE,
});

/** The sign-in methods of the signed-in user's account. */
export const signInMethodsQuery = queryOf(['sign-in-methods'], routes.login.getSignInMethods, {});

export const namespacesQuery = queryOf(['namespaces'], routes.namespaces.listNamespaces, {});

export const namespaceQuery = (namespace: string) =>
  queryOf(['namespaces', namespace], routes.namespaces.getNamespace, { params: { namespace } });

/** Of those whose address or title has the words. */
const FEW_LIBRARIES = 20;

export const librariesLikeQuery = (search: string) =>
  queryOptions({
    ...queryOf(['libraries', 'like', search], routes.libraries.listAllLibraries, {
      query: { search, limit: FEW_LIBRARIES },
    }),
    placeholderData: keepPreviousData,
  });

/** How many assets the viewer may read. */
export const assetCountQuery = queryOptions({
  ...queryOf(['hits', 'count'], routes.search.searchEverything, { query: { limit: 1 } }),
  staleTime: 5 * MINUTE,
});

export const namespaceLibrariesQuery = (namespace: string) =>
  queryOf(['libraries', namespace], routes.libraries.listLibraries, {
    params: { namespace },
    query: { srcset: 'true', uses: 'true' },
  });

/** The watched libraries of a namespace, and which hosts sources can be at. */
export const watchesQuery = (namespace: string) =>
  queryOf(['watches', namespace], routes.watches.listWatches, { params: { namespace } });

/** A library as its pages address it: `share` opens a private one, `release` reads a release of it. */
export interface LibraryKey {
  namespace: string;
  library: string;
  share?: string | undefined;
  release?: string | undefined;
}

export const libraryQuery = ({ namespace, library, share, release }: LibraryKey) =>
  queryOf(['library', namespace, library, share ?? null, release ?? null], routes.libraries.getLibrary, {
    params: { namespace, name: library },
    query: { ...readQuery({ share, release }), uses: 'true' },
  });

/** What requests that read a library have in common. */
export const requestOf = ({ namespace, library, share, release }: LibraryKey) => ({
  params: { namespace, name: library },
  query: readQuery({ share, release }),
});

/** The manifest of a library as its key says, or of another `version` of it. */
export async function readManifest(
  key: LibraryKey,
  signal: AbortSignal,
  version: { revision?: string; release?: string; proposal?: string } = {},
): Promise<Manifest> {
  const { params, query } = requestOf(key);
  const request = { params, query: { ...query, ...version }, signal };
  return (await service.call(routes.libraries.getManifest, request)) as Manifest;
}

/** The releases of a library, newest first, page by page. */
export const releasesQuery = ({ namespace, library, share }: Omit<LibraryKey, 'release'>) =>
  infiniteQueryOptions({
    queryKey: ['releases', namespace, library, share ?? null],
    initialPageParam: 1,
    queryFn: ({ signal, pageParam }) => {
      const { params, query } = requestOf({ namespace, library, share });
      const paged = { ...query, page: pageParam, pageSize: RELEASES_PER_PAGE };
      return service.call(routes.releases.listReleases, { params, query: paged, signal });
    },
    getNextPageParam: ({ page, totalPages }) => (page < totalPages ? page + 1 : undefined),
  });

const RELEASES_PER_PAGE = 20;

export const releaseQuery = ({ namespace, library, share }: LibraryKey, release: string) =>
  queryOf(['releases', namespace, library, share ?? null, release], routes.releases.getRelease, {
    params: { namespace, name: library, release },
    query: readQuery({ share }),
  });

/** The latest registers of a library of which `revision` is the current one. */
export const logQuery = ({ namespace, library, share }: LibraryKey, revision: number | undefined) =>
  queryOptions({
    ...queryOf(
      ['library', namespace, library, share ?? null, 'log', revision],
      routes.libraries.getLog,
      requestOf({ namespace, library, share }),
    ),
    enabled: revision !== undefined,
  });

/** What is kept of a library's replaced revisions; for those who manage it. */
export const historyQuery = ({ namespace, library }: LibraryKey, revision: number) =>
  queryOf(['library', namespace, library, 'history', revision], routes.libraries.getHistory, {
    params: { namespace, name: library },
  });

/** The proposals of a library, for the members of its namespace. */
export const proposalsQuery = (
  { namespace, library }: LibraryKey,
  { state = 'open', page = 1 }: { state?: 'open' | 'decided' | 'all'; page?: number } = {},
) =>
  queryOf(['proposals', namespace, library, state, page], routes.proposals.listProposals, {
    params: { namespace, name: library },
    query: { state, page },
  });

export const proposalQuery = ({ namespace, library }: LibraryKey, proposal: string) =>
  queryOf(['proposals', namespace, library, proposal], routes.proposals.getProposal, {
    params: { namespace, name: library, proposal },
  });

/** The open proposals that the viewer may accept. */
export const waitingQuery = queryOf(['proposals', 'waiting'], routes.proposals.listWaiting, {});

/** What parts of an asset's page are about. */
export interface AssetProps {
  library: LibraryKey;
  asset: AssetDetail;
}

/** Presigned URLs in it remain valid for at least ten more minutes. */
export const assetQuery = ({ namespace, library, share, release }: LibraryKey, assetId: string) =>
  queryOptions({
    ...queryOf(
      ['asset', namespace, library, assetId, share ?? null, release ?? null],
      routes.libraries.getAsset,
      {
        params: { namespace, name: library, assetId },
        query: { ...readQuery({ share, release }), srcset: 'true', certificates: 'true', uses: 'true' },
      },
    ),
    staleTime: 5 * MINUTE,
  });

/** What is similar to an asset, in everything that may be read. */
export const similarQuery = ({ namespace, library, share, release }: LibraryKey, asset: string) =>
  queryOptions({
    queryKey: ['hits', 'similar', namespace, library, asset, share ?? null, release ?? null],
    queryFn: ({ signal }) =>
      findSimilarAssets(
        service,
        { namespace, name: library, asset, share, release },
        { limit: SIMILAR, srcset: 'true', signal },
      ),
    staleTime: 5 * MINUTE,
  });

const SIMILAR = 6;

export const projectQuery = (namespace: string, projectSlug: string) =>
  queryOf(['project', namespace, projectSlug], routes.projects.getProject, {
    params: { namespace, projectSlug },
  });

/** The kinds of data that hold presigned URLs, and how long these are sure to be valid. */
const WITH_URLS: ReadonlySet<unknown> = new Set(['hits', 'libraries', 'asset', 'readme']);
const URLS_LAST = 14 * MINUTE;

let renewal: Promise<void> | undefined;

/**
 * Fetches URLs on the page again if they are old enough to have expired. Called when one of them does not load; those
 * that do not load meanwhile wait for the same.
 */
export function renewUrls(): Promise<void> {
  renewal ??= queries
    .invalidateQueries({
      predicate: ({ queryKey: [kind], state }) =>
        WITH_URLS.has(kind) && Date.now() - state.dataUpdatedAt > URLS_LAST,
    })
    .finally(() => {
      renewal = undefined;
    });
  return renewal;
}
