import type { Manifest, ManifestAsset, ManifestFile } from '@bindery/contract';
import { THUMBNAILS_FOLDER } from '@bindery/contract/wire';
import { digestOf } from '../library/manifest.ts';
import type { RemoteLibrary } from '../library/read-library.ts';

/** Counts of assets. */
export interface LostArtifacts {
  thumbnails: number;
  vectors: number;
}

/** Keeps the thumbnails that were drawn at an earlier time of assets whose files have not changed. */
export function carryThumbnails(local: Manifest, remote: Manifest): Manifest {
  const stored = new Set(remote.generated);
  const earlier = new Map(remote.assets.map((asset) => [asset.id, asset]));
  const generated = new Set(local.generated);
  const assets = local.assets.map((asset) => {
    const thumbnail = drawnThumbnail(asset, earlier.get(asset.id), stored);
    if (thumbnail === null) return asset;
    generated.add(thumbnail);
    return { ...asset, thumbnail };
  });
  return { ...local, assets, ...(generated.size > 0 ? { generated: [...generated] } : {}) };
}

/** How many assets had a drawn thumbnail before and have none now. */
export function lostThumbnails(before: Manifest, after: Manifest): number {
  const drawn = new Set(before.generated);
  const without = new Set(after.assets.flatMap(({ id, thumbnail }) => (thumbnail === undefined ? [id] : [])));
  return before.assets.filter(({ id, thumbnail }) => thumbnail && drawn.has(thumbnail) && without.has(id))
    .length;
}

/** A manifest without drawn thumbnails that no asset shows any more. */
export function withoutUnusedThumbnails(manifest: Manifest): Manifest {
  const used = new Set(manifest.assets.map(({ thumbnail }) => thumbnail));
  const generated = manifest.generated?.filter(
    (path) => !path.startsWith(THUMBNAILS_FOLDER) || used.has(path),
  );
  return { ...manifest, ...(generated === undefined ? {} : { generated }) };
}

/** The platform artifacts of a manifest: what is to be sent of those just made, and what stays as the library has it. */
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

/** The thumbnail that was drawn of an asset, if it has none of its own and still the same files. */
export function drawnThumbnail(
  asset: ManifestAsset,
  earlier: ManifestAsset | undefined,
  stored: ReadonlySet<string>,
): string | null {
  const drawn = earlier?.thumbnail;
  if (asset.thumbnail !== undefined || earlier === undefined || drawn === undefined || !stored.has(drawn))
    return null;
  return digestOf(asset.files) === digestOf(earlier.files) ? drawn : null;
}
