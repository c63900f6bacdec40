import type { Manifest, ManifestFile } from '@bindery/contract';
import type { BroughtVectors } from '../artifacts/keep-vectors.ts';
import type { NextRevision } from '../artifacts/next-revision.ts';
import type { DrawnThumbnails } from '../artifacts/thumbnails.ts';
import type { LibraryClient } from '../client/library-client.ts';
import type { DiscoveredLibrary } from '../discovery/discovered.ts';
import type { LibraryAddress } from '../library/address.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import type { UploadSource } from '../tree/upload-source.ts';

/** What a push starts from, whatever the library holds, and wherever the folder lies: on a disk, or in a browser. */
export interface PushSource {
  found: DiscoveredLibrary;
  /** What the folder itself says, before anything is made of it. */
  local: Manifest;
  /** The folder's `bindery.yml` and README, as the platform artifacts that they become. */
  rootFiles: readonly UploadSource[];
  /** Whether thumbnails or vectors are to be made, which takes long. */
  makes: boolean;
  /** Null where no thumbnails are to be drawn. */
  draw(manifest: Manifest): Promise<DrawnThumbnails | null>;
  embed(
    client: LibraryClient,
    address: LibraryAddress,
    next: NextRevision,
    remote: RemoteLibrary | null,
  ): Promise<BroughtVectors>;
  /** The bytes of a file of the folder. */
  open(file: ManifestFile): UploadSource;
}
