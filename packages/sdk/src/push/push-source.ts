import type { Manifest, ManifestFile } from '@bindery/contract';
import type { DrawnThumbnails } from '../artifacts/thumbnails.ts';
import type { NextRevision, PreparedVectors } from '../artifacts/vectors.ts';
import type { LibraryClient } from '../client/call.ts';
import type { DiscoveredLibrary } from '../discovery/discovered-library.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import type { UploadSource } from '../tree/upload-source.ts';

/**
 * The local side of a push, independent of the library's content and of where the folder is: on disk, or in a browser.
 */
export interface PushSource {
  found: DiscoveredLibrary;
  /** The manifest of the folder alone, before thumbnails and vectors are made. */
  local: Manifest;
  /** The folder's `bindery.yml` and README, as the platform artifacts that they become. */
  rootFiles: readonly UploadSource[];
  /** Whether thumbnails or vectors will be made, which takes a long time. */
  generatesArtifacts: boolean;
  /** Returns null if no thumbnails are requested. */
  draw(manifest: Manifest): Promise<DrawnThumbnails | null>;
  embed(
    client: LibraryClient,
    address: LibraryAddress,
    next: NextRevision,
    remote: RemoteLibrary | null,
  ): Promise<PreparedVectors>;
  /** Opens a file of the folder. */
  open(file: ManifestFile): UploadSource;
}
