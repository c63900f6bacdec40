import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { THUMBNAILS_FOLDER } from '@bindery/contract/wire';
import type { AuthorsPictures } from '../artifacts/thumbnails.ts';
import { digestOf } from '../library/manifest.ts';
import type { RemoteLibrary } from '../library/read-library.ts';

/** How many assets lost artifacts. */
export interface LostArtifacts {
  thumbnails: number;
  vectors: number;
}

/**
 * Carries over the drawn thumbnails of assets whose files have not changed, also those made of their large `pictures`.
 */
export function carryThumbnails(local: Manifest, remote: Manifest, pictures: AuthorsPictures): Manifest {
  const stored = new Set(remote.generated);
  const earlier = new Map(remote.assets.map((asset) => [asset.id, asset]));
  const generated = new Set(local.generated);
  const assets = local.assets.map((asset) => {
    const thumbnail = drawnThumbnail(asset, earlier.get(asset.id), stored, pictures);
    if (thumbnail === null) return asset;
    generated.add(thumbnail);
    return { ...asset, thumbnail };
  });
  return { ...local, assets, ...(generated.size > 0 ? { generated: [...generated] } : {}) };
}

/** Returns how many assets had a drawn thumbnail before and have none after. */
export function lostThumbnails(before: Manifest, after: Manifest): number {
  const drawn = new Set(before.generated);
  const without = new Set(after.assets.flatMap(({ id, thumbnail }) => (thumbnail === undefined ? [id] : [])));
  return before.assets.filter(({ id, thumbnail }) => thumbnail && drawn.has(thumbnail) && without.has(id))
    .length;
}

/** Returns the manifest without drawn thumbnails that no asset uses. */
export function withoutUnusedThumbnails(manifest: Manifest): Manifest {
  const used = new Set(manifest.assets.map(({ thumbnail }) => thumbnail));
  const generated = manifest.generated?.filter(
    (path) => !path.startsWith(THUMBNAILS_FOLDER) || used.has(path),
  );
  return { ...manifest, ...(generated === undefined ? {} : { generated }) };
}

/** Divides the platform artifacts of a manifest into new ones to send and those that the library keeps. */
export function divideArtifacts<T extends ManifestFile>(
  { generated = [] }: Manifest,
  made: readonly T[],
  remote: Pick<RemoteLibrary, 'artifacts'> | null,
): { fresh: T[]; kept: ManifestFile[] } {
  const held = remote?.artifacts ?? new Map<string, ManifestFile>();
  const fresh = made.filter(({ path, sha256 }) => held.get(path)?.sha256 !== sha256);
  const sent = new Set(fresh.map(({ path }) => path));
  const kept = generated.flatMap((path) => (sent.has(path) ? [] : (held.get(path) ?? [])));
  return { fresh, kept };
}

/**
 * Returns the thumbnail that was drawn of an asset if its files are the same and it has no thumbnail of its own, or one
 * of the large `pictures`, which a drawn thumbnail replaces; else null.
 */
export function drawnThumbnail(
  asset: ManifestAsset,
  earlier: ManifestAsset | undefined,
  stored: ReadonlySet<string>,
  pictures: AuthorsPictures,
): string | null {
  const drawn = earlier?.thumbnail;
  if (earlier === undefined || drawn === undefined || !stored.has(drawn)) return null;
  if (asset.thumbnail !== undefined && !pictures.has(asset.id)) return null;
  return digestOf(asset.files) === digestOf(earlier.files) ? drawn : null;
}
