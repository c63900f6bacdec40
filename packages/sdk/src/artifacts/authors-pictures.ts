import type { Manifest, ManifestAsset } from '@bindery/contract';
import { CURATION_FILE } from '@bindery/contract/wire';
import { extensionOf } from '@bindery/formats';
import type { DiscoveredLibrary } from '../discovery/discovered-library.ts';

/** Pictures of at most this many bytes are used as thumbnails unchanged. */
const MAX_BYTES = 64 * 1024;

/** Paths of pictures to make thumbnails from, by asset id. */
export type AuthorsPictures = ReadonlyMap<string, string>;

/**
 * Returns the pictures among the assets' files that are too large to be thumbnails. A picture named in `bindery.yml` is
 * not one of them: its author chose it, so it is used unchanged.
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

/** Returns the manifest without the thumbnails of the assets that have such a picture. */
export function withoutPictures(manifest: Manifest, pictures: AuthorsPictures): Manifest {
  const assets = manifest.assets.map((asset) => {
    if (!pictures.has(asset.id)) return asset;
    const { thumbnail: _, ...bare } = asset;
    return bare;
  });
  return { ...manifest, assets };
}

/** Returns an asset that consists of the picture alone, to be drawn as a thumbnail. */
export function pictureAsset(asset: ManifestAsset, picture: string): ManifestAsset {
  return {
    id: asset.id,
    kind: 'image',
    format: extensionOf(picture),
    entry: picture,
    files: asset.files.filter(({ path }) => path === picture),
  };
}
