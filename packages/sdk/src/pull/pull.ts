import { setTimeout as sleep } from 'node:timers/promises';
import type { LibraryDetail, ManifestFile } from '@bindery/contract';
import type { Client } from '../client/client.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { ConflictError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/address.ts';
import { digestOf, filesOf } from '../library/manifest.ts';
import { MovedOn } from '../library/moved-on.ts';
import { type RemoteLibrary, readRemoteLibrary, readRow } from '../library/remote-library.ts';
import { refuseCollisions } from '../tree/collisions.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { fetchFiles, recordHashes, removeOrphans, type Written } from './fetch-files.ts';
import { PresignedUrls } from './presigned-urls.ts';
import { type Selection, type WantedFile, wantedArtifacts, wantedFiles } from './wanted.ts';

export interface PullOptions extends Selection {
  cacheFolder: string;
  /** Read every local file, whatever the cache says. */
  verify?: boolean | undefined;
  /** For exchanges that break on the way. */
  retry?: RetryPolicy | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface PullResult {
  library: string;
  revision: number;
  /** The real path of the folder. */
  folder: string;
  asset: string | null;
  /** The digest of the selected user files, as search hits and `info` show it. */
  digest: string;
  fetched: { files: number; bytes: number };
  /** How many of the fetched files took the place of other bytes. */
  replaced: number;
  unchanged: { files: number; bytes: number };
}

const MOST_REVISIONS = 50;
const PAUSE_MS = 50;

/**
 * Makes a folder hold a library, or one asset of it, as one revision has it. Files that are there byte for byte are not
 * fetched; every byte that is fetched is verified before it is seen; whatever is not in the manifest stays as it is.
 * Throws `IntegrityError`, `ConflictError`, `AssetNotFoundError`, `TreeError` and the client's errors.
 */
export async function pullLibrary(
  client: Client,
  address: LibraryAddress,
  target: string,
  options: PullOptions,
): Promise<PullResult> {
  const written: Written = new Map();
  for (let tries = 1; ; tries++) {
    try {
      return await pullRevision(client, address, target, options, written);
    } catch (error) {
      if (!(error instanceof MovedOn)) throw error;
      if (tries === MOST_REVISIONS) {
        throw new ConflictError('the library changes faster than it can be pulled; try again later');
      }
      await sleep(PAUSE_MS, undefined, options.signal ? { signal: options.signal } : {});
    }
  }
}

async function pullRevision(
  client: Client,
  address: LibraryAddress,
  target: string,
  options: PullOptions,
  written: Written,
): Promise<PullResult> {
  const library = formatLibraryAddress(address);
  const row = await readRow(client, address, options.signal);
  const remote = await readRemoteLibrary(client, address, row, {
    ...options,
    artifacts: (manifest) => wantedArtifacts(manifest, options),
  });
  const wanted = wantedFiles(library, remote.manifest, remote.artifacts, options);
  const folder = GuardedFolder.make(target);
  const cache = new HashCache(folder.root, options.cacheFolder);
  try {
    const { same, different, missing, obstacles } = await compareWithFolder(
      folder,
      wanted.values(),
      cache,
      options,
    );
    if (obstacles[0] !== undefined) throw obstacles[0];
    const toFetch = [...different, ...missing];
    if (toFetch.length > 0) {
      refuseCollisions(wanted.keys(), folder.root);
      const urls = new PresignedUrls(client, address, toFetch, options.signal);
      await urls.prepare();
      await confirmRevision(client, address, row, options.signal);
      try {
        await fetchFiles(client, folder, toFetch, new Set(missing), urls, written, options);
      } finally {
        // An interrupted pull knows, the next time, what it has.
        recordHashes(cache, folder, written);
      }
    }
    removeOrphans(folder, written, wanted);
    return {
      library,
      revision: row.revision,
      folder: folder.root,
      asset: options.asset ?? null,
      digest: digestOf(userFiles(remote, options)),
      fetched: total(toFetch),
      replaced: different.length,
      unchanged: total(same),
    };
  } finally {
    cache.save();
    folder.close();
  }
}

/** The row is read again once all addresses are there: if it is the same, they are all of this revision. */
async function confirmRevision(
  client: Client,
  address: LibraryAddress,
  row: LibraryDetail,
  signal: AbortSignal | undefined,
): Promise<void> {
  const now = await readRow(client, address, signal);
  if (now.revision !== row.revision || now.createdAt !== row.createdAt) throw new MovedOn();
}

function userFiles({ manifest }: RemoteLibrary, { asset }: Selection): ManifestFile[] {
  return [...filesOf(manifest.assets.filter(({ id }) => asset === undefined || id === asset)).values()];
}

function total(files: readonly WantedFile[]): { files: number; bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}
