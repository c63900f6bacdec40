import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { THUMBNAILS_FOLDER } from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { ConflictError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { bytesSource } from '../tree/upload-source.ts';
import { type EditOptions, type EditResult, editLibrary } from './edit-library.ts';

/** A picture of an asset as WebP, and the files that it was drawn from. */
export interface DrawnThumbnail {
  asset: string;
  files: readonly Pick<ManifestFile, 'path' | 'sha256'>[];
  webp: Uint8Array;
}

/**
 * Adds drawn thumbnails to assets that have none, at the paths that `push --thumbnails` uses. Assets that have one by
 * now, or whose files have changed, stay as they are. Throws `ConflictError` if that leaves no asset.
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
  const artifacts = manifest.assets.flatMap((asset) => {
    const found = byAsset.get(asset.id);
    return found && isStillOf(found, asset) ? [bytesSource(pathOf(asset.id), found.webp)] : [];
  });
  if (artifacts.length === 0) {
    throw new ConflictError('The drawn assets already have thumbnails, or have changed in the meantime.', []);
  }
  const paths = artifacts.map(({ path }) => path);
  const isSet = new Set(paths);
  return {
    manifest: {
      ...manifest,
      assets: manifest.assets.map((asset) =>
        isSet.has(pathOf(asset.id)) ? { ...asset, thumbnail: pathOf(asset.id) } : asset,
      ),
      generated: [...new Set([...(manifest.generated ?? []), ...paths])],
    },
    files: [],
    artifacts,
  };
}

function isStillOf({ files }: DrawnThumbnail, asset: ManifestAsset): boolean {
  const drawn = new Map(files.map(({ path, sha256 }) => [path, sha256]));
  return (
    asset.thumbnail === undefined &&
    drawn.size === asset.files.length &&
    asset.files.every(({ path, sha256 }) => drawn.get(path) === sha256)
  );
}

function pathOf(asset: string): string {
  return `${THUMBNAILS_FOLDER}${asset}.webp`;
}
