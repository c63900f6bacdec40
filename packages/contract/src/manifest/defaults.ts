import type { ManifestAsset, ManifestLibrary } from './schema.ts';

/** Defaults for what a manifest does not state. */
export const DEFAULT_LIBRARY_TYPE = '3d';
export const DEFAULT_KIND = 'file';
export const DEFAULT_ENTRY_POINT_KIND = 'scene';

/** Returns the license that applies to an asset: its own, else the library's. */
export function effectiveLicense(
  asset: Pick<ManifestAsset, 'license'>,
  library: Pick<ManifestLibrary, 'license'> | undefined,
): string | null {
  return asset.license ?? library?.license ?? null;
}
