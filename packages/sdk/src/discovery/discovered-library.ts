import type { ManifestAsset, ManifestLibrary } from '@bindery/contract';
import type { CheckCode } from '../check/codes.ts';
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
