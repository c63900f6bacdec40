import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { filesOf } from '../library/manifest.ts';
import { readRemoteLibrary } from '../library/manifest-cache.ts';
import { readHead, retryUntilStable } from '../library/read-library.ts';
import type { FetchOptions } from '../obtain/fetch-files.ts';
import { type Source, serviceSource } from '../obtain/obtain.ts';
import type { TargetFile } from '../place/written-files.ts';
import type { LockedLibrary } from './lock.ts';
import { lockedAddress, type ReadRevisionParts, RevisionGoneError } from './locked-revision.ts';

/** The service that a lock names: whatever it has at the library or the release, if the files are still among it. */
export function lockedSource(
  library: string,
  locked: LockedLibrary,
  parts: Pick<ReadRevisionParts, 'clientFor'> & FetchOptions & { cacheFolder: string },
): Source {
  const { clientFor, signal } = parts;
  const open = async (files: readonly TargetFile[]) => {
    const client = await clientFor(locked.server);
    const address = await readableAddress(client, library, locked, signal);
    const found = await findCurrentPaths(client, address, library, locked, files, parts);
    return serviceSource(client, address, parts).open(found);
  };
  return {
    async open(files) {
      let opened: Awaited<ReturnType<Source['open']>> | null = await retryUntilStable(
        () => open(files),
        signal,
      );
      return (placer) =>
        retryUntilStable(async () => {
          const transfer = opened ?? (await open(files.filter((file) => !placer.written.holds(file))));
          opened = null;
          await transfer(placer);
        }, signal);
    },
  };
}

/** Returns the locked release, or the library itself if that is deleted: it may still have the same files. */
async function readableAddress(
  client: Client,
  library: string,
  locked: LockedLibrary,
  signal?: AbortSignal,
): Promise<LibraryAddress> {
  const address = lockedAddress(library, locked);
  if (address.release === undefined) return address;
  try {
    await readHead(client, address, signal);
    return address;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    return { ...address, release: undefined };
  }
}

/** Finds the same contents in the service's current manifest, by any path. Throws `RevisionGoneError`. */
async function findCurrentPaths(
  client: Client,
  address: LibraryAddress,
  library: string,
  locked: LockedLibrary,
  files: readonly TargetFile[],
  { cacheFolder, signal }: { cacheFolder: string; signal?: AbortSignal | undefined },
): Promise<TargetFile[]> {
  const head = await readHead(client, address, signal);
  if (head.manifestSha256 === locked.manifest.sha256) return [...files];
  const { manifest, row } = await readRemoteLibrary(client, address, head, { cacheFolder, signal });
  const byContent = new Map(
    [...filesOf(manifest.assets).values()].map(({ path, sha256, size }) => [`${sha256} ${size}`, path]),
  );
  const gone = files.filter(({ sha256, size }) => !byContent.has(`${sha256} ${size}`));
  if (gone.length > 0) {
    const what = gone.length === 1 ? `${gone[0]?.path} is` : `${gone.length} of its files are`;
    throw new RevisionGoneError(
      library,
      locked,
      `${client.baseUrl} is now at revision ${row.revision}, and ${what} neither in it nor in the cache of this machine`,
    );
  }
  return files.map((file) => ({
    ...file,
    remotePath: byContent.get(`${file.sha256} ${file.size}`) ?? file.remotePath,
  }));
}
