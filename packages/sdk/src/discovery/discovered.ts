import type { ManifestAsset, ManifestLibrary } from '@bindery/contract';
import type { CheckCode } from '../check/codes.ts';
import type { LeftOut } from '../tree/left-out.ts';
import type { ListedFile } from './file-reader.ts';
import type { Finding } from './graph/closure.ts';
import type { Origins } from './metadata/derive.ts';

/** An asset as found in a folder: its manifest entry, before anything was hashed. */
export interface DiscoveredAsset<F extends ListedFile = ListedFile> extends Omit<ManifestAsset, 'files'> {
  files: F[];
}

/** A library as found in a folder. */
export interface DiscoveredLibrary<F extends ListedFile = ListedFile> {
  library: ManifestLibrary | undefined;
  /** Sorted by id. */
  assets: DiscoveredAsset<F>[];
  /** The bytes of `bindery.yml`, which travel with the library. */
  curation: Uint8Array | null;
  /** The README at the root, which travels with the library, an asset's or not. */
  readme: F | null;
  /** What lies in the folder and is no part of the library, by the rules of every library or by `bindery.yml`. */
  leftOut: LeftOut[];
  /** By the id of the asset: where each of its values came from, by its key. */
  origins: ReadonlyMap<string, Origins>;
  /** By the id of an asset: references of what it opens that lead nowhere, or not quite as they are written. */
  findings: ReadonlyMap<string, readonly Finding[]>;
  /** By the id of an asset: its files that could not be looked into, and why. */
  unread: ReadonlyMap<string, readonly { file: string; message: string }[]>;
  /** Models that hold settings for others, and are nothing alone. */
  fragments: ReadonlySet<string>;
  /** What `bindery.yml` accepts of what a check finds. */
  acceptedCodes: readonly CheckCode[];
  /** What looks wrong in the folder and is no reason to stop. */
  warnings: string[];
}
