import type { ManifestAsset, ManifestLibrary } from '@bindery/contract';
import { DEFAULT_KIND, effectiveLicense } from '@bindery/contract/wire';
import type { CheckCode } from '../curation/check-codes.ts';
import type { SkippedPath } from '../tree/skipped-paths.ts';
import type { ListedFile } from './file-reader.ts';
import type { Finding } from './graph/closure.ts';
import type { Origins } from './metadata/derive.ts';

/** An asset as found in a folder: its manifest entry, before anything is hashed. */
export interface DiscoveredAsset<F extends ListedFile = ListedFile> extends Omit<ManifestAsset, 'files'> {
  files: F[];
}

/** A library as found in a folder. */
export interface DiscoveredLibrary<F extends ListedFile = ListedFile> {
  library: ManifestLibrary | undefined;
  /** Sorted by id. */
  assets: DiscoveredAsset<F>[];
  /** The bytes of `bindery.yml`, which is published with the library. */
  curation: Uint8Array | null;
  /** The README at the root, which is published with the library, whether or not an asset contains it. */
  readme: F | null;
  /** What is in the folder but not part of the library. */
  leftOut: SkippedPath[];
  /** Where the values of each asset came from, by asset id and key. */
  origins: ReadonlyMap<string, Origins>;
  /** References in the files that each asset opens that do not resolve, or not exactly as written, by asset id. */
  findings: ReadonlyMap<string, readonly Finding[]>;
  /** Files of each asset that could not be examined, and why, by asset id. */
  unread: ReadonlyMap<string, readonly { file: string; message: string }[]>;
  /** Models that contain settings for others and nothing to show on their own. */
  fragments: ReadonlySet<string>;
  /** Codes of check findings that `bindery.yml` accepts. */
  acceptedCodes: readonly CheckCode[];
  /** Problems in the folder that are not errors. */
  warnings: string[];
}

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

/** Whether a model needs a file that is not in the folder. Converters name material files that never existed. */
export function namesMissingFile({ kind, text }: Finding): boolean {
  return kind === 'missing' && !/\.mtl$/i.test(text);
}
