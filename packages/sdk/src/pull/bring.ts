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
 * Bytes that a pull keeps in the cache at most. More would be written twice, which takes half as long again and twice the
 * room; they are found where the pull has put them.
 */
const MAX_KEPT = 64 * 1024 * 1024;

export interface BringOptions extends Omit<SourceOptions, 'objects'> {
  cacheFolder: string;
  cache?: boolean | undefined;
  folder: GuardedFolder;
  /** Files of which nothing is there. */
  missing: ReadonlySet<WantedFile>;
  written: Written;
  /** Called when all files are known to be of one revision, before any is put in place. */
  onBegin(): void;
}

/**
 * Puts files of the revision in `row` in place: from the cache, from other folders of this machine, else from the mirror or
 * the service. Answers those that were transferred. Throws `MovedOn` where the library has another revision by now.
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

/** The row is read again once all addresses are there: if it is the same, they are all of this revision. */
async function confirmRevision(
  client: Client,
  address: LibraryAddress,
  row: LibraryDetail,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { row: now } = await readHead(client, address, signal);
  if (now.revision !== row.revision || now.createdAt !== row.createdAt) throw new MovedOn();
}
