import type { BodyInputOf, QueryInputOf, SimilarAssets } from '@bindery/contract';
import { routes } from '@bindery/contract/wire';
import type { Caller } from '../client/call.ts';
import { type AssetAddress, libraryParams, readQuery } from './library-address.ts';

/** What a client knows of a model or a picture of its own: its descriptors, or its vector by an image model. */
export type DescribedSubject = BodyInputOf<(typeof routes)['search']['findSimilarTo']>;

/** Kinds of files by the ends of their names, models before pictures, which may be their textures. */
const KINDS = [
  ['usd', /\.usd[acz]?$/i],
  ['urdf', /\.(?:urdf|xacro)$/i],
  ['sdf', /\.(?:sdf|world)$/i],
  ['mjcf', /\.xml$/i],
  // Any PLY: one without splats has a mesh or points.
  ['splat', /\.(?:ply|splat|ksplat|spz|sog)$/i],
  ['mesh', /\.(?:glb|gltf|vrm|obj|stl|dae|fbx|3mf|wrl|off|pcd|xyz|pts|step|stp)$/i],
  ['image', /\.(?:png|jpe?g|webp|gif|bmp|avif|tiff?|tga|dds|ktx2|exr|hdr)$/i],
] as const;

/** Returns the file that others belong to, a model or a picture, and its kind; undefined if there is neither. */
export function findSubject<F extends { name: string }>(
  files: readonly F[],
): { kind: (typeof KINDS)[number][0]; file: F } | undefined {
  for (const [kind, ending] of KINDS) {
    const file = files.find(({ name }) => ending.test(name));
    if (file !== undefined) return { kind, file };
  }
  return undefined;
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
