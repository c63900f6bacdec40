import type { LibraryDetail, Manifest, ManifestFile } from '@bindery/contract';
import type { LibraryAddress } from './address.ts';

/** A manifest as it was read. */
export interface CachedManifest {
  /** Of its bytes. */
  sha256: string;
  manifest: Manifest;
  /** What the service said about platform artifacts, of which a manifest holds only paths, while the library was in one state. */
  artifacts: { state: string; files: ManifestFile[] };
}

/** Keeps the last manifest read of each library. */
export interface ManifestMemory {
  read(server: string, address: LibraryAddress): CachedManifest | null;
  write(server: string, address: LibraryAddress, cached: CachedManifest): void;
}

/** Tells the states of a library apart in which its artifacts may differ, though its manifest is the same. */
export function artifactState({ revision, createdAt, updatedAt }: LibraryDetail): string {
  return `${revision} ${createdAt} ${updatedAt}`;
}
