import type { BodyInputOf, QueryInputOf, SimilarAssets } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import { extensionOf, formatOf } from '@bindery/formats';
import type { Caller } from '../client/call.ts';
import { type AssetAddress, libraryParams, readQuery } from './library-address.ts';

/** What a client knows of a model or a picture of its own: its descriptors, or its vector by an image model. */
export type DescribedSubject = BodyInputOf<(typeof routes)['search']['findSimilarTo']>;

/** Models before pictures, which may be their textures. */
const KINDS = ['usd', 'urdf', 'sdf', 'mjcf', 'splat', 'mesh', 'image'] as const;
type SubjectKind = (typeof KINDS)[number];

/** Returns the file that others belong to, a model or a picture, and its kind; undefined if there is neither. */
export function findSubject<F extends { name: string }>(
  files: readonly F[],
): { kind: SubjectKind; file: F } | undefined {
  for (const kind of KINDS) {
    const file = files.find(({ name }) => kindOf(name) === kind);
    if (file !== undefined) return { kind, file };
  }
  return undefined;
}

/** Pictures that only browsers read. */
const PICTURE = /\.(?:gif|bmp|avif|tiff?)$/i;

function kindOf(path: string): SubjectKind | undefined {
  const format = formatOf(extensionOf(path));
  if (format === undefined) return PICTURE.test(path) ? 'image' : undefined;
  if (format.name === 'xacro') return 'urdf';
  // One without splats has a mesh or points.
  if (format.name === 'ply') return 'splat';
  return KINDS.find((kind) => kind === format.name) ?? (format.name === 'blend' ? undefined : 'mesh');
}

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
