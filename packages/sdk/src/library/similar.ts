import type { BodyInputOf, QueryInputOf, SimilarAssets } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import type { Caller } from '../client/call.ts';
import { type AssetAddress, libraryParams, readQuery } from './library-address.ts';

/** What a client knows of a model or a picture of its own: its descriptors, or its vector by an image model. */
export type DescribedSubject = BodyInputOf<(typeof routes)['search']['findSimilarTo']>;

/** Filters as those of a search; `library` has names as `namespace/name`. */
export type SimilarOptions = Omit<
  QueryInputOf<(typeof routes)['search']['findSimilarTo']>,
  'limit' | 'offset'
> & {
  limit?: number | undefined;
  offset?: number | undefined;
  signal?: AbortSignal | undefined;
};

/** Finds what is similar to an asset or to what was described, the most similar first, in everything that may be read. */
export async function findSimilarAssets(
  client: Caller,
  like: (AssetAddress & { asset: string }) | DescribedSubject,
  { signal, ...query }: SimilarOptions = {},
): Promise<SimilarAssets> {
  const options = signal ? { signal } : {};
  if ('version' in like) return client.call(routes.search.findSimilarTo, { query, body: like, ...options });
  const { asset: assetId, ...library } = like;
  return client.call(routes.search.findSimilar, {
    params: { ...libraryParams(library), assetId },
    query: { ...query, ...readQuery(library) },
    ...options,
  });
}
