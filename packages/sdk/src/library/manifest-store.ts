import type { LibraryDetail, Manifest, ManifestFile } from '@bindery/contract';
import type { LibraryAddress } from './library-address.ts';

/** A manifest as it was read. */
export interface CachedManifest {
  /** Hash of its bytes. */
  sha256: string;
  manifest: Manifest;
  /** Sizes and hashes of platform artifacts, which a manifest lacks, as reported for one state of the library. */
  artifacts: { state: string; files: ManifestFile[] };
}

/** Stores the last manifest read of each library. */
export interface ManifestStore {
  read(server: string, address: LibraryAddress): CachedManifest | null;
  write(server: string, address: LibraryAddress, cached: CachedManifest): void;
}

/** Identifies a state of a library: in two states its artifacts may differ although its manifest is the same. */
export function artifactState({ revision, createdAt, updatedAt }: LibraryDetail): string {
  return `${revision} ${createdAt} ${updatedAt}`;
}
