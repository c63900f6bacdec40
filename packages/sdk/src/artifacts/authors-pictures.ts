import type { Manifest, ManifestAsset } from '@bindery/contract';
import { CURATION_FILE } from '@bindery/contract/wire';
import type { DiscoveredLibrary } from '../discovery/discovered.ts';
import { extensionOf } from '../discovery/paths.ts';

/** What is no larger serves as a thumbnail as it is. */
const MAX_BYTES = 64 * 1024;

/** Pictures to make thumbnails of, by the ids of their assets. */
export type AuthorsPictures = ReadonlyMap<string, string>;

/**
 * Pictures that lie with their assets and are too large for thumbnails. One that `bindery.yml` names is what its author
 * wants to be shown, and stays as it is.
 */
export function largePictures({
  assets,
  origins,
}: Pick<DiscoveredLibrary, 'assets' | 'origins'>): AuthorsPictures {
  const pictures = new Map<string, string>();
  for (const { id, thumbnail, files } of assets) {
    const isNamed = origins.get(id)?.thumbnail?.startsWith(CURATION_FILE) === true;
    const picture = files.find(({ path }) => path === thumbnail);
    if (picture !== undefined && !isNamed && picture.size > MAX_BYTES) pictures.set(id, picture.path);
  }
  return pictures;
}

/** The manifest before thumbnails are made of these pictures. */
export function withoutPictures(manifest: Manifest, pictures: AuthorsPictures): Manifest {
  const assets = manifest.assets.map((asset) => {
    if (!pictures.has(asset.id)) return asset;
    const { thumbnail: _, ...bare } = asset;
    return bare;
  });
  return { ...manifest, assets };
}

/** The picture of an asset, as an asset of its own to be drawn. */
export function pictureOf(asset: ManifestAsset, picture: string): ManifestAsset {
  return {
    id: asset.id,
    kind: 'image',
    format: extensionOf(picture),
    entry: picture,
    files: asset.files.filter(({ path }) => path === picture),
  };
}
