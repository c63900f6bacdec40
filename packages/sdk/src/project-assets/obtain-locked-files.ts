import type { ObjectCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { filesOf } from '../library/manifest.ts';
import { readRemoteLibrary } from '../library/manifest-cache.ts';
import { RevisionSupersededError, readHead } from '../library/read-library.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { findCopies, placeCopies } from '../obtain/copies.ts';
import { fetchFromMirror, openDownloadSource, refuseFullDisk } from '../obtain/obtain.ts';
import { placeAllCached } from '../place/place-cached.ts';
import type { TargetFile, WrittenFiles } from '../place/written-files.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { ProgressListener } from '../tree/progress.ts';
import type { LockedLibrary } from './lock.ts';
import { lockedAddress } from './read-revision.ts';
import { RevisionGoneError } from './revision-gone.ts';

export interface ObtainLockedFilesParts {
  folder: GuardedFolder;
  /** Files that did not exist in the folder. */
  missing: ReadonlySet<TargetFile>;
  written: WrittenFiles;
  /** Null: there is no cache. */
  objects: ObjectCache | null;
  cacheFolder: string;
  mirror?: Mirror | undefined;
  /** Make the files hard links to those of the cache. */
  link?: boolean | undefined;
  clientFor(server: string | null): Promise<Client>;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

const MAX_TRIES = 20;

/**
 * Puts files of one library in place: from this machine, else from the mirror or the service. Returns those that were
 * transferred. Throws `RevisionGoneError`, before it transfers anything, if the service does not have all of them.
 */
export async function obtainLockedFiles(
  library: string,
  locked: LockedLibrary,
  files: readonly TargetFile[],
  parts: ObtainLockedFilesParts,
): Promise<TargetFile[]> {
  const { folder, missing, written, mirror } = parts;
  const absent = await placeLocalCopies(files, parts);
  if (absent.length === 0) return [];
  refuseFullDisk(folder, absent);
  if (mirror !== undefined) await fetchFromMirror(mirror, folder, absent, missing, written, parts);
  else await fetchFromService(library, locked, absent, parts);
  return absent;
}

/** Copies files from the cache, else from other folders, and then caches those. Returns files not found here. */
async function placeLocalCopies(
  files: readonly TargetFile[],
  parts: ObtainLockedFilesParts,
): Promise<TargetFile[]> {
  const { folder, missing, written, objects, cacheFolder } = parts;
  const absent = await placeAllCached(files, objects, parts);
  if (objects === null || absent.length === 0) return absent;
  const copies = findCopies(absent, cacheFolder);
  const changed = await placeCopies(copies, folder, missing, written, parts);
  return [...absent.filter((file) => !copies.has(file)), ...changed];
}

async function fetchFromService(
  library: string,
  locked: LockedLibrary,
  files: readonly TargetFile[],
  parts: ObtainLockedFilesParts,
): Promise<void> {
  const client = await parts.clientFor(locked.server);
  for (let tries = 1; ; tries++) {
    const address = await readableAddress(client, library, locked, parts.signal);
    try {
      const found = await findCurrentPaths(client, address, library, locked, files, parts);
      const missing = new Set(
        [...found].flatMap(([there, file]) => (parts.missing.has(file) ? [there] : [])),
      );
      const fetch = await openDownloadSource(client, address, [...found.keys()], parts);
      await fetch(parts.folder, missing, parts.written);
      return;
    } catch (error) {
      if (!(error instanceof RevisionSupersededError) || tries === MAX_TRIES) throw error;
    }
  }
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

/** Finds the same contents in the service's current manifest, by any path. Maps its files to the requested ones. */
async function findCurrentPaths(
  client: Client,
  address: LibraryAddress,
  library: string,
  locked: LockedLibrary,
  files: readonly TargetFile[],
  { cacheFolder, signal }: ObtainLockedFilesParts,
): Promise<Map<TargetFile, TargetFile>> {
  const head = await readHead(client, address, signal);
  if (head.manifestSha256 === locked.manifest.sha256) return new Map(files.map((file) => [file, file]));
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
  return new Map(
    files.map((file) => [
      { ...file, remotePath: byContent.get(`${file.sha256} ${file.size}`) ?? file.remotePath },
      file,
    ]),
  );
}
