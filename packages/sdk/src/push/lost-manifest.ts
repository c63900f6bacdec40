import { hash } from 'node:crypto';
import type { Manifest } from '@bindery/contract';
import { THUMBNAILS_FOLDER, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH } from '@bindery/contract/wire';
import { writeManifest } from '../library/manifest.ts';

/**
 * Returns the lost manifest with this hash if it is that of the folder: as the folder makes it, or with a drawn thumbnail
 * of every asset that has no other, with vectors, or with both. Null if none of these has the hash.
 */
export function findLostManifest(local: Manifest, sha256: string | null): Manifest | null {
  const drawn = withDrawnThumbnails(local);
  const candidates = [local, drawn, withVectors(local), withVectors(drawn)];
  return candidates.find((one) => hash('sha256', writeManifest(one)) === sha256) ?? null;
}

function withDrawnThumbnails(local: Manifest): Manifest {
  const generated = new Set(local.generated);
  const assets = local.assets.map((asset) => {
    if (asset.thumbnail !== undefined) return asset;
    const thumbnail = `${THUMBNAILS_FOLDER}${asset.id}.webp`;
    generated.add(thumbnail);
    return { ...asset, thumbnail };
  });
  return { ...local, assets, generated: [...generated] };
}

function withVectors(manifest: Manifest): Manifest {
  const { generated = [] } = manifest;
  return { ...manifest, generated: [...generated, VECTORS_INDEX_PATH, VECTORS_MATRIX_PATH] };
}
