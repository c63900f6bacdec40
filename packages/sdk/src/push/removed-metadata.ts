import type { Manifest, ManifestAsset } from '@bindery/contract';
import { effectiveLicense } from '@bindery/contract/wire';

/** What people write about an asset. How it is opened (kind, entry) follows from its files instead. */
export const METADATA_KEYS = [
  'title',
  'description',
  'category',
  'tags',
  'license',
  'attribution',
  'upstream',
  'meta',
] as const;

/** Metadata that a push removes: keys such as `title`, `license` or `meta.mass`. */
export interface RemovedMetadata {
  /** The id of the asset; null for the library itself. */
  asset: string | null;
  keys: string[];
}

/** Returns the metadata that one revision states and the next does not, of the library and of assets that stay. */
export function findRemovedMetadata(before: Manifest, after: Manifest): RemovedMetadata[] {
  const next = new Map(after.assets.map((asset) => [asset.id, asset]));
  const ofLibrary = removedKeys(before.library ?? {}, after.library ?? {});
  const ofAssets = before.assets.flatMap((asset) => {
    const now = next.get(asset.id);
    if (now === undefined) return [];
    const keys = removedKeys(metadataOf(asset), metadataOf(now)).filter(
      // A licence that now stands in the library's block is not lost.
      (key) => key !== 'license' || effectiveLicense(now, after.library) !== asset.license,
    );
    return keys.length === 0 ? [] : [{ asset: asset.id, keys }];
  });
  return [...(ofLibrary.length === 0 ? [] : [{ asset: null, keys: ofLibrary }]), ...ofAssets];
}

function metadataOf({ meta = {}, ...said }: ManifestAsset): Record<string, unknown> {
  return Object.fromEntries([
    ...METADATA_KEYS.flatMap((key) => (key === 'meta' ? [] : [[key, said[key]]])),
    ...Object.entries(meta).map(([key, value]) => [`meta.${key}`, value]),
  ]);
}

function removedKeys(before: object, after: object): string[] {
  const now: Record<string, unknown> = { ...after };
  return Object.entries(before).flatMap(([key, value]) =>
    isStated(value) && !isStated(now[key]) ? [key] : [],
  );
}

function isStated(value: unknown): boolean {
  const isEmpty = value === '' || (Array.isArray(value) && value.length === 0);
  return value !== undefined && value !== null && !isEmpty;
}
