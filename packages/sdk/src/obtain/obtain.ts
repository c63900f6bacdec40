import { randomBytes } from 'node:crypto';
import { constants, copyFileSync, statfsSync } from 'node:fs';
import { forEachBounded } from '@bindery/concurrency/for-each';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import { DiskFullError } from '../failures.ts';
import type { NumberedAddress } from '../library/library-address.ts';
import type { Mirror } from '../mirror/mirror.ts';
import { bytesLeftOf } from '../place/partial-files.ts';
import { type PlaceCachedOptions, placeAllCached } from '../place/place-cached.ts';
import { Placer, type PlacerOptions } from '../place/placer.ts';
import { type TargetFile, totalOf } from '../place/written-files.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { fileTotal, withProgress } from '../tree/progress.ts';
import { findCopies, placeCopies, recordPulledFiles } from './copies.ts';
import { type FetchOptions, fetchFiles } from './fetch-files.ts';
import { PresignedUrls } from './presigned-urls.ts';

const CONCURRENCY = 16;

/** Where files come from that this machine does not have. */
export interface Source {
  /**
   * Prepares a transfer, and throws, before anything is placed, if the source does not have the files. Returns the
   * function that carries it out.
   */
  open(files: readonly TargetFile[]): Promise<(placer: Placer) => Promise<void>>;
}

/** The service, of one revision of a library. */
export function serviceSource(client: Client, address: NumberedAddress, options: FetchOptions): Source {
  return {
    async open(files) {
      const urls = new PresignedUrls(client, address, files, options.signal);
      await urls.prefetch();
      return (placer) => fetchFiles(client, urls, files, placer, options);
    },
  };
}

/** A mirror. The first failure stops a transfer; files already in place are verified and stay. */
export function mirrorSource(mirror: Mirror, { signal, progress }: FetchOptions): Source {
  return {
    open: async (files) => (placer) =>
      withProgress(progress, 'Pulling', fileTotal(files), (work) =>
        forEachBounded(files, { concurrency: CONCURRENCY, signal }, async (file, fileSignal) => {
          await placer.placePieces(file, mirror.read(file, fileSignal), (bytes) => work.advance({ bytes }));
          work.advance({ items: 1 });
        }),
      ),
  };
}

export interface ObtainOptions
  extends PlaceCachedOptions,
    Required<Pick<PlacerOptions, 'missing' | 'written'>> {
  folder: GuardedFolder;
  cacheFolder: string;
  /** Null: neither the cache nor other folders of this machine are used. */
  cache: ObjectCache | null;
  /**
   * At most this many bytes that the cache lacks are added to it; of more, later operations find the files in the
   * folder. By default there is no limit.
   */
  maxCachedBytes?: number;
  /** Called once everything is known to be available, before any file is moved into place. */
  onBeforePlacing?(): void;
}

/**
 * Puts files into a folder: from the cache, from other folders of this machine, else from the source. Returns those
 * that were transferred.
 */
export async function obtainFiles(
  files: readonly TargetFile[],
  source: Source,
  options: ObtainOptions,
): Promise<TargetFile[]> {
  const { folder, cache, cacheFolder, maxCachedBytes = Number.POSITIVE_INFINITY, onBeforePlacing } = options;
  const { cached = [], absent = [] } = Object.groupBy(files, (file) =>
    cache !== null && cache.find(file) !== null ? 'cached' : 'absent',
  );
  refuseFullDisk(folder, absent, options.link ? [] : cached, cache);
  const copies = findCopies(cache === null ? [] : absent, cacheFolder);
  const toTransfer = absent.filter((file) => !copies.has(file));
  const isCached = totalOf(absent).bytes <= maxCachedBytes;
  const placer = new Placer(folder, { ...options, cache: isCached ? cache : null });
  const transfer = toTransfer.length === 0 ? null : await source.open(toTransfer);
  onBeforePlacing?.();
  try {
    const vanished = cache === null ? [] : await placeAllCached(cached, cache, placer, options);
    vanished.push(...(await placeCopies(copies, placer, options)));
    await transfer?.(placer);
    if (vanished.length > 0) await (await source.open(vanished))(placer);
    return [...toTransfer, ...vanished];
  } finally {
    if (cache !== null && !isCached) {
      const placed = absent.filter((file) => placer.written.holds(file));
      recordPulledFiles(cacheFolder, folder.root, placed);
    }
  }
}

/** Throws `DiskFullError` if the disk of a folder has less free space than files need: those to fetch, and copies of the cached. */
function refuseFullDisk(
  folder: GuardedFolder,
  files: readonly TargetFile[],
  cached: readonly TargetFile[],
  cache: ObjectCache | null,
): void {
  const free = freeBytesOf(folder.root);
  let needed = totalOf(files).bytes + totalOf(cached).bytes;
  if (free === null || needed <= free) return;
  needed -= bytesLeftOf(folder, files);
  const [one] = cached.toSorted((a, b) => b.size - a.size);
  if (one !== undefined && canShareBlocks(folder, cache?.find(one) ?? null)) needed -= totalOf(cached).bytes;
  if (needed > free) throw new DiskFullError(folder.root, { needed, free });
}

/** Whether a copy of the entry in the folder would take no space. */
function canShareBlocks(folder: GuardedFolder, entry: string | null): boolean {
  if (entry === null) return false;
  const name = `.bindery-${randomBytes(6).toString('hex')}.partial`;
  try {
    const mode = constants.COPYFILE_FICLONE_FORCE | constants.COPYFILE_EXCL;
    folder.createSibling(name, name, (place) => copyFileSync(entry, place, mode));
    return true;
  } catch {
    return false;
  } finally {
    folder.removeSibling(name, name);
  }
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
