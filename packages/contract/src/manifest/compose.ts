import { compareUtf8 } from '../utf8.ts';
import type { Manifest, ManifestAsset } from './schema.ts';

/** What differs between a manifest and the one that follows it. */
export interface ManifestChanges {
  /** The SHA-256 of the bytes of the manifest that is changed. */
  base: string;
  /** The library block, if it changes; null to leave it out. */
  library?: Manifest['library'] | null | undefined;
  /** Entries that are added, or replace those with the same id. */
  assets?: readonly ManifestAsset[] | undefined;
  /** Ids of assets that are removed. */
  removed?: readonly string[] | undefined;
  /** Paths of platform artifacts. */
  generated?: { added?: readonly string[] | undefined; removed?: readonly string[] | undefined } | undefined;
}

/** Applies changes to a manifest, and orders it. What they do not name stays as it is. */
export function composeManifest(
  { schema, library, assets, generated = [] }: Manifest,
  changes: ManifestChanges,
): Manifest {
  const gone = new Set(changes.removed);
  const replaced = new Map((changes.assets ?? []).map((asset) => [asset.id, asset]));
  const left = assets.filter(({ id }) => !gone.has(id) && !replaced.has(id));
  const paths = new Set(generated).difference(new Set(changes.generated?.removed));
  return orderManifest({
    schema,
    library: changes.library === undefined ? library : (changes.library ?? undefined),
    assets: [...left, ...replaced.values()],
    generated: [...paths.union(new Set(changes.generated?.added))],
  });
}

/** Returns a manifest as JSON; equal manifests have equal texts. */
export function manifestText(manifest: Manifest): string {
  return JSON.stringify(orderManifest(manifest));
}

/** Returns a manifest in the order of its text: assets by id, files and artifacts by path. */
export function orderManifest({ schema, library, assets, generated }: Manifest): Manifest {
  return {
    schema,
    library,
    assets: assets.map(orderFiles).sort((a, b) => compareUtf8(a.id, b.id)),
    generated: generated?.length ? generated.toSorted(compareUtf8) : undefined,
  };
}

function orderFiles(asset: ManifestAsset): ManifestAsset {
  const isOrdered = asset.files.every(
    ({ path }, at, all) => at === 0 || compareUtf8(all[at - 1]?.path ?? '', path) <= 0,
  );
  return isOrdered ? asset : { ...asset, files: asset.files.toSorted((a, b) => compareUtf8(a.path, b.path)) };
}
