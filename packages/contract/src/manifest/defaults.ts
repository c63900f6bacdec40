import type { ManifestAsset, ManifestLibrary } from './schema.ts';

/** What an asset or a library is where the manifest does not say. */
export const DEFAULT_LIBRARY_TYPE = '3d';
export const DEFAULT_KIND = 'file';
export const DEFAULT_ENTRY_POINT_KIND = 'scene';

/** The license that holds for an asset: its own, else the library's. */
export function effectiveLicense(
  asset: Pick<ManifestAsset, 'license'>,
  library: Pick<ManifestLibrary, 'license'> | undefined,
): string | null {
  return asset.license ?? library?.license ?? null;
}
