import type { LibraryDetail } from '@bindery/contract';
import type { Client } from '../client/client.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { RevisionSupersededError, readHead } from '../library/read-library.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { WrittenFiles } from './fetch-files.ts';
import { openDownloadSource, type SourceOptions } from './open-download-source.ts';
import { placeAllCached } from './place-cached.ts';
import { findCopies, placeCopies } from './place-copies.ts';
import { recordPulledFiles } from './pulled-files.ts';
import { refuseFullDisk } from './refuse-full-disk.ts';
import { type TargetFile, totalOf } from './select-files.ts';

/**
 * A pull caches at most this many bytes. Larger pulls would write every file twice, taking 1.5 times as long and twice
 * the space; later pulls find their files in the target folder instead.
 */
const MAX_CACHED_BYTES = 64 * 1024 * 1024;

export interface ObtainFilesOptions extends SourceOptions {
  cacheFolder: string;
  folder: GuardedFolder;
  /** Files that are not in the folder yet. */
  missing: ReadonlySet<TargetFile>;
  written: WrittenFiles;
  /** Called once the revision is known to be the current one, before any file is moved into place. */
  onBeforePlacing(): void;
}

/**
 * Places files of the revision in `row`: from the cache, from other folders on this machine, else from the mirror or
 * the service. Returns those that were transferred. Throws `RevisionSupersededError` if the library has
 * another revision by now.
 */
export async function obtainFiles(
  client: Client,
  address: LibraryAddress,
  row: LibraryDetail,
  files: readonly TargetFile[],
  options: ObtainFilesOptions,
): Promise<TargetFile[]> {
  const { cacheFolder, folder, objects, missing, written, onBeforePlacing, signal } = options;
  const isCached = (file: TargetFile) => objects !== null && objects.find(file) !== null;
  const { cached = [], absent = [] } = Object.groupBy(files, (file) =>
    isCached(file) ? 'cached' : 'absent',
  );
  refuseFullDisk(folder, absent);
  const copies = findCopies(objects === null ? [] : absent, cacheFolder);
  const toFetch = absent.filter((file) => !copies.has(file));
  const isKept = totalOf(absent).bytes <= MAX_CACHED_BYTES;
  const source = { ...options, objects: isKept ? objects : null };
  const [fetch] = await Promise.all([
    openDownloadSource(client, address, toFetch, source),
    toFetch.length > 0 && confirmRevision(client, address, row, signal),
  ]);
  onBeforePlacing();
  try {
    const vanished = await placeAllCached(cached, objects, options);
    vanished.push(...(await placeCopies(copies, folder, missing, written, source)));
    await fetch(folder, missing, written);
    if (vanished.length > 0) {
      const fetchVanished = await openDownloadSource(client, address, vanished, source);
      await fetchVanished(folder, missing, written);
    }
    return [...toFetch, ...vanished];
  } finally {
    const isWritten = ({ path, sha256 }: TargetFile) => written.get(path)?.sha256 === sha256;
    if (objects !== null && !isKept) recordPulledFiles(cacheFolder, folder.root, absent.filter(isWritten));
  }
}

/** Re-reads the row, so that a revision that was replaced since then is not pulled. */
async function confirmRevision(
  client: Client,
  address: LibraryAddress,
  row: LibraryDetail,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { row: now } = await readHead(client, address, signal);
  if (now.revision !== row.revision || now.createdAt !== row.createdAt) throw new RevisionSupersededError();
}
