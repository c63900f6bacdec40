import { statfsSync } from 'node:fs';
import { forEachBounded } from '@bindery/concurrency/for-each';
import type { LibraryDetail } from '@bindery/contract';
import type { Client } from '../client/client.ts';
import { DiskFullError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { RevisionSupersededError, readHead } from '../library/read-library.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { bytesLeftOf, PartialFiles } from '../place/partial-files.ts';
import { placeAllCached } from '../place/place-cached.ts';
import { placePieces } from '../place/write-file.ts';
import { recordWritten, type TargetFile, totalOf, type WrittenFiles } from '../place/written-files.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { NO_PROGRESS } from '../tree/progress.ts';
import { findCopies, placeCopies, recordPulledFiles } from './copies.ts';
import { type FetchOptions, fetchFiles } from './fetch-files.ts';
import { PresignedUrls } from './presigned-urls.ts';

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

export interface SourceOptions extends FetchOptions {
  /** The source of bytes instead of the service. */
  mirror?: Mirror | undefined;
}

/** Opens the source of the files: the mirror if there is one, else the service, with the first URLs presigned. */
export async function openDownloadSource(
  client: Client,
  address: LibraryAddress,
  files: readonly TargetFile[],
  options: SourceOptions,
): Promise<
  (folder: GuardedFolder, missing: ReadonlySet<TargetFile>, written: WrittenFiles) => Promise<void>
> {
  const { mirror } = options;
  if (mirror !== undefined) {
    return (folder, missing, written) => fetchFromMirror(mirror, folder, files, missing, written, options);
  }
  const urls = new PresignedUrls(client, address, files, options.signal);
  await urls.prefetch();
  return (folder, missing, written) => fetchFiles(client, folder, files, missing, urls, written, options);
}

/** Throws `DiskFullError` if the disk of a folder has less free space than these files need. */
export function refuseFullDisk(folder: GuardedFolder, files: readonly TargetFile[]): void {
  const free = freeBytesOf(folder.root);
  let needed = totalOf(files).bytes;
  if (free === null || needed <= free) return;
  needed -= bytesLeftOf(folder, files);
  if (needed > free) throw new DiskFullError(folder.root, { needed, free });
}

/** Returns null if the file system does not say. */
function freeBytesOf(folder: string): number | null {
  try {
    const { blocks, bavail, bsize } = statfsSync(folder);
    return blocks === 0 ? null : bavail * bsize;
  } catch {
    return null;
  }
}

const CONCURRENCY = 16;

/** Like `fetchFiles`, but from a mirror. The first failure stops all; files already in place are verified and stay. */
export async function fetchFromMirror(
  mirror: Mirror,
  folder: GuardedFolder,
  files: readonly TargetFile[],
  missing: ReadonlySet<TargetFile>,
  written: WrittenFiles,
  { objects, signal, progress = NO_PROGRESS }: FetchOptions,
): Promise<void> {
  const partials = new PartialFiles(folder);
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const work = progress.start('Pulling', { bytes, items: files.length, unit: 'files' });
  const onBytes = (more: number) => work.advance({ bytes: more });
  try {
    await forEachBounded(files, { concurrency: CONCURRENCY, signal }, async (file, fileSignal) => {
      const pieces = mirror.read(file, fileSignal);
      const identity = await placePieces(file, pieces, { folder, partials, cache: objects, onBytes });
      recordWritten(written, file, identity, missing);
      work.advance({ items: 1 });
    });
    work.finish();
  } finally {
    work.stop();
  }
}
