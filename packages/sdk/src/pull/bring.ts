import type { LibraryDetail } from '@bindery/contract';
import { ObjectCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import type { LibraryAddress } from '../library/address.ts';
import { MovedOn } from '../library/moved-on.ts';
import { readHead } from '../library/read-library.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { Written } from './fetch-files.ts';
import { openSource, type SourceOptions } from './open-source.ts';
import { placeAllCached } from './place-cached.ts';
import { findCopies, placeCopies } from './place-copies.ts';
import { rememberPulled } from './pulled-files.ts';
import { totalOf, type WantedFile } from './wanted.ts';

/**
 * A pull caches at most this many bytes. Larger pulls would write every file twice, taking 1.5 times as long and twice
 * the space; later pulls find their files in the target folder instead.
 */
const MAX_KEPT = 64 * 1024 * 1024;

export interface BringOptions extends Omit<SourceOptions, 'objects'> {
  cacheFolder: string;
  cache?: boolean | undefined;
  folder: GuardedFolder;
  /** Files that are not in the folder yet. */
  missing: ReadonlySet<WantedFile>;
  written: Written;
  /** Called once all files are known to be of one revision, before any is moved into place. */
  onBegin(): void;
}

/**
 * Places files of the revision in `row`: from the cache, from other folders on this machine, else from the mirror or
 * the service. Returns those that were transferred. Throws `MovedOn` if the library has another revision by now.
 */
export async function bring(
  client: Client,
  address: LibraryAddress,
  row: LibraryDetail,
  files: readonly WantedFile[],
  options: BringOptions,
): Promise<WantedFile[]> {
  const { cacheFolder, folder, missing, written, onBegin, signal } = options;
  const objects = options.cache === false ? null : new ObjectCache(cacheFolder);
  const isCached = (file: WantedFile) => objects !== null && objects.find(file) !== null;
  const { cached = [], absent = [] } = Object.groupBy(files, (file) =>
    isCached(file) ? 'cached' : 'absent',
  );
  const copies = findCopies(objects === null ? [] : absent, cacheFolder);
  const toFetch = absent.filter((file) => !copies.has(file));
  const isKept = totalOf(absent).bytes <= MAX_KEPT;
  const source = { ...options, objects: isKept ? objects : null };
  const fetch = await openSource(client, address, toFetch, source);
  if (toFetch.length > 0) await confirmRevision(client, address, row, signal);
  onBegin();
  try {
    const vanished = await placeAllCached(cached, objects, options);
    vanished.push(...(await placeCopies(copies, folder, missing, written, source)));
    await fetch(folder, missing, written);
    if (vanished.length > 0) {
      const fetchVanished = await openSource(client, address, vanished, source);
      await fetchVanished(folder, missing, written);
    }
    return [...toFetch, ...vanished];
  } finally {
    const isWritten = ({ path, sha256 }: WantedFile) => written.get(path)?.sha256 === sha256;
    if (objects !== null && !isKept) rememberPulled(cacheFolder, folder.root, absent.filter(isWritten));
  }
}

/** Re-reads the row after presigning: if it is unchanged, every URL so far belongs to this revision. */
async function confirmRevision(
  client: Client,
  address: LibraryAddress,
  row: LibraryDetail,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { row: now } = await readHead(client, address, signal);
  if (now.revision !== row.revision || now.createdAt !== row.createdAt) throw new MovedOn();
}
