import { DEFAULT_KIND, effectiveLicense } from '@bindery/contract/wire';
import type { DiscoveredLibrary } from './discovered-library.ts';
import type { Origins } from './metadata/derive.ts';

/** What an asset will be, before anything is uploaded. */
export interface AssetPreview {
  id: string;
  title: string | null;
  description: string | null;
  kind: string;
  format: string | null;
  entry: string | null;
  /** Number and total size of its files. */
  files: number;
  bytes: number;
  /** Its own, or else that of the library. */
  license: string | null;
  attribution: string | null;
  tags: string[];
  thumbnail: string | null;
  /** Where values came from, by key: a path in the folder, `name`, `path`, `bindery.yml`. */
  from: Origins;
}

/** Returns what the assets of a folder will be, and why. */
export function previewOf({ assets, library, origins }: DiscoveredLibrary): AssetPreview[] {
  return assets.map((asset) => ({
    id: asset.id,
    title: asset.title ?? null,
    description: asset.description ?? null,
    kind: asset.kind ?? DEFAULT_KIND,
    format: asset.format ?? null,
    entry: asset.entry ?? null,
    files: asset.files.length,
    bytes: asset.files.reduce((sum, { size }) => sum + size, 0),
    license: effectiveLicense(asset, library),
    attribution: asset.attribution ?? null,
    tags: asset.tags ?? [],
    thumbnail: asset.thumbnail ?? null,
    from: origins.get(asset.id) ?? {},
  }));
}
