import type { AssetStatistics, Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { THUMBNAILS_FOLDER } from '@bindery/contract/wire';
import { withStatistics } from '../artifacts/statistics.ts';
import type { LibraryClient } from '../client/call.ts';
import { ConflictError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { bytesSource, type UploadSource } from '../tree/upload-source.ts';
import { type EditOptions, type EditResult, editLibrary } from './edit-library.ts';

/** A picture of an asset as WebP, what was measured of it, and the files that it was drawn from. */
export interface DrawnThumbnail {
  asset: string;
  files: readonly Pick<ManifestFile, 'path' | 'sha256'>[];
  /** Null if it was only measured. */
  webp: Uint8Array | null;
  statistics?: AssetStatistics | undefined;
}

/**
 * Adds drawn thumbnails and statistics to assets that have none, at the paths that `push --thumbnails` uses. Assets that
 * have them by now, or whose files have changed, stay as they are. Throws `ConflictError` if that leaves no asset.
 */
export function setThumbnails(
  client: LibraryClient,
  address: LibraryAddress,
  drawn: readonly DrawnThumbnail[],
  options: EditOptions,
): Promise<EditResult> {
  return editLibrary(client, address, (manifest) => withThumbnails(manifest, drawn), options);
}

function withThumbnails(manifest: Manifest, drawn: readonly DrawnThumbnail[]) {
  const byAsset = new Map(drawn.map((one) => [one.asset, one]));
  const artifacts: UploadSource[] = [];
  const assets = manifest.assets.map((asset) => {
    const found = byAsset.get(asset.id);
    if (found === undefined || !isStillOf(found, asset)) return asset;
    const { statistics = {} } = found;
    const isNew = asset.meta?.statistics === undefined && Object.keys(statistics).length > 0;
    const measured = isNew ? withStatistics(asset, statistics) : asset;
    if (found.webp === null || asset.thumbnail !== undefined) return measured;
    const picture = bytesSource(`${THUMBNAILS_FOLDER}${asset.id}.webp`, found.webp);
    artifacts.push(picture);
    return { ...measured, thumbnail: picture.path };
  });
  if (assets.every((asset, at) => asset === manifest.assets[at])) {
    throw new ConflictError('The drawn assets already have thumbnails, or have changed in the meantime.', []);
  }
  const paths = artifacts.map(({ path }) => path);
  const generated = [...new Set([...(manifest.generated ?? []), ...paths])];
  return {
    manifest: { ...manifest, assets, ...(generated.length > 0 && { generated }) },
    files: [],
    artifacts,
  };
}

function isStillOf({ files }: DrawnThumbnail, asset: ManifestAsset): boolean {
  const drawn = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  return (
    drawn.size === asset.files.length && asset.files.every(({ path, sha256 }) => drawn.get(path) === sha256)
  );
}
