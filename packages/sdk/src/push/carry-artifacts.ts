import {
  type Manifest,
  type ManifestAsset,
  RESERVED_FOLDER,
  SOURCE_CURATION_PATH,
  VECTORS_INDEX_PATH,
  VECTORS_MATRIX_PATH,
} from '@bindery/contract';
import { digestOf } from '../library/manifest.ts';

/**
 * Keeps what was made for the library at an earlier time and still fits: the vectors, and the thumbnails that were drawn
 * of assets whose files have not changed.
 */
export function carryArtifacts(local: Manifest, remote: Manifest): Manifest {
  const stored = new Set(remote.generated);
  const earlier = new Map(remote.assets.map((asset) => [asset.id, asset]));
  const generated = new Set(local.generated);
  const assets = local.assets.map((asset) => {
    const thumbnail = drawnThumbnail(asset, earlier.get(asset.id), stored);
    if (thumbnail === null) return asset;
    generated.add(thumbnail);
    return { ...asset, thumbnail };
  });
  const vectors = [VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH];
  if (vectors.every((path) => stored.has(path))) for (const path of vectors) generated.add(path);
  return { ...local, assets, ...(generated.size > 0 ? { generated: [...generated] } : {}) };
}

/** Platform artifacts of a manifest without those that no asset shows any more. */
export function withoutUnusedThumbnails(manifest: Manifest): Manifest {
  const used = new Set(manifest.assets.map(({ thumbnail }) => thumbnail));
  const kept = [SOURCE_CURATION_PATH, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH];
  const thumbnails = `${RESERVED_FOLDER}thumbnails/`;
  const generated = manifest.generated?.filter(
    (path) => kept.includes(path) || !path.startsWith(thumbnails) || used.has(path),
  );
  return { ...manifest, ...(generated === undefined ? {} : { generated }) };
}

function drawnThumbnail(
  asset: ManifestAsset,
  earlier: ManifestAsset | undefined,
  stored: ReadonlySet<string>,
): string | null {
  const drawn = earlier?.thumbnail;
  if (asset.thumbnail !== undefined || earlier === undefined || drawn === undefined || !stored.has(drawn))
    return null;
  return digestOf(asset.files) === digestOf(earlier.files) ? drawn : null;
}
