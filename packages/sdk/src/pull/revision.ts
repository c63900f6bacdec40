import type { LibraryDetail } from '@bindery/contract';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { RevisionNotFoundError } from '../failures.ts';
import {
  formatLibraryAddress,
  formatNumberedAddress,
  type NumberedAddress,
} from '../library/library-address.ts';
import { readRemoteLibrary } from '../library/manifest-cache.ts';
import { type RemoteLibrary, RevisionSupersededError, readHead } from '../library/read-library.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { FetchOptions } from '../obtain/fetch-files.ts';
import { mirrorSource, type Source, serviceSource } from '../obtain/obtain.ts';
import type { TargetFile } from '../place/written-files.ts';
import { trustedPaths } from '../tree/names.ts';
import { type Selection, selectArtifacts, selectFiles, selectIds } from './select-files.ts';

/** What is pulled, and from where. */
export interface RevisionOptions extends Selection, FetchOptions {
  cacheFolder: string;
  /** The source of the files instead of the service, whose manifest still says what they are. */
  mirror?: Mirror | undefined;
}

/** A revision as it was read, and the files that a folder should have of it, by path. */
export interface PulledRevision {
  client: Client;
  address: NumberedAddress;
  library: string;
  row: LibraryDetail;
  remote: RemoteLibrary;
  /** The selected ids; null means the whole library. */
  assets: string[] | null;
  wanted: Map<string, TargetFile>;
  /** Paths that other programs trust. */
  refused: string[];
}

export async function readRevision(
  client: Client,
  address: NumberedAddress,
  options: RevisionOptions,
): Promise<PulledRevision> {
  const library = formatLibraryAddress(address);
  const head = await readHead(client, address, options.signal);
  const remote = await readRemoteLibrary(client, address, head, {
    ...options,
    artifacts: (manifest) => selectArtifacts(manifest, options),
  }).catch((error: unknown) => {
    const isGone = error instanceof ApiError && error.code === 'not_found' && address.revision !== undefined;
    throw isGone ? new RevisionNotFoundError(formatNumberedAddress(address), library) : error;
  });
  const wanted = selectFiles(library, remote.manifest, remote.artifacts, options);
  const refused = trustedPaths(wanted.keys());
  for (const path of refused) wanted.delete(path);
  const assets = selectIds(library, remote.manifest, options);
  return { client, address, library, row: head.row, remote, assets, wanted, refused };
}

/** The mirror, if there is one, or the service, whose revision must still be the one that is pulled. */
export function sourceOf({ client, address, row }: PulledRevision, options: RevisionOptions): Source {
  const { mirror, signal } = options;
  const source =
    mirror === undefined ? serviceSource(client, address, options) : mirrorSource(mirror, options);
  const confirmRevision = async () => {
    if (address.revision !== undefined) return;
    const { row: now } = await readHead(client, address, signal);
    if (now.revision !== row.revision || now.createdAt !== row.createdAt) throw new RevisionSupersededError();
  };
  return {
    async open(files) {
      const [transfer] = await Promise.all([source.open(files), confirmRevision()]);
      return transfer;
    },
  };
}
