import { readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { join } from 'node:path';
import { NO_PROGRESS, type ProgressListener } from '../tree/progress.ts';
import { isRunning } from '../tree/running.ts';
import { examine, type ObjectCache } from './object-cache.ts';
import { inodeOf, treeFiles } from './tree-files.ts';

export interface CacheInfo {
  /** Where entries lie. */
  folder: string;
  entries: number;
  bytes: number;
  /** When the entry was used whose last use is longest ago, ISO 8601; null where there is none. */
  leastRecentUse: string | null;
}

export interface CacheVerification {
  folder: string;
  checked: number;
  bytes: number;
  /** SHA-256 that the names of the damaged entries promised; they are removed. */
  damaged: string[];
}

export interface CachePruning {
  folder: string;
  removed: { entries: number; bytes: number };
  kept: { entries: number; bytes: number };
}

export interface UpkeepOptions {
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

interface Entry {
  /** Everywhere that it lies; the first is where an entry belongs, if it has a name. */
  places: string[];
  /** Null where only a tree has the file any more. */
  sha256: string | null;
  size: number;
  /** Milliseconds since 1970. */
  usedAt: number;
}

const SHA256 = /^[0-9a-f]{64}$/;
const TEMPORARY = /^[0-9a-f]{64}\.(\d+)\.[0-9a-f]+$/;
/** After so long, in milliseconds, a file under way is nobody's, even where its process id is in use again. */
const ABANDONED_AFTER = 86_400_000;
const AT_ONCE = 50;

export function cacheInfo(cache: ObjectCache): CacheInfo {
  const entries = entriesOf(cache);
  const uses = entries.map(({ usedAt }) => usedAt);
  return {
    folder: cache.folder,
    ...total(entries),
    leastRecentUse: uses.length === 0 ? null : new Date(uses.reduce((a, b) => Math.min(a, b))).toISOString(),
  };
}

/** Reads every entry and removes those that do not hold what their names say. */
export async function verifyCache(
  cache: ObjectCache,
  { signal, progress = NO_PROGRESS }: UpkeepOptions = {},
): Promise<CacheVerification> {
  removeAbandoned(cache);
  const entries = entriesOf(cache).flatMap(({ sha256, ...entry }) => (sha256 ? [{ ...entry, sha256 }] : []));
  const { bytes } = total(entries);
  const work = progress.start('Verifying', { bytes, items: entries.length, unit: 'files' });
  const damaged: string[] = [];
  try {
    for (const [at, { places, sha256, size }] of entries.entries()) {
      signal?.throwIfAborted();
      const place = places.find(isThere);
      if (place !== undefined && !examine(place, sha256)) {
        damaged.push(sha256);
        removeAll(places);
      }
      work.advance({ bytes: size, items: 1 });
      if (at % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
    }
    work.finish();
  } finally {
    work.stop();
  }
  return { folder: cache.folder, checked: entries.length, bytes, damaged };
}

/** Removes entries, those first that were not used for longest, until `keep` bytes are left at most. */
export function pruneCache(cache: ObjectCache, keep: number): CachePruning {
  removeAbandoned(cache);
  const entries = entriesOf(cache).sort((a, b) => a.usedAt - b.usedAt || compareNames(a, b));
  let { bytes } = total(entries);
  let removed = 0;
  for (const { places, size } of entries) {
    if (bytes <= keep) break;
    removeAll(places);
    bytes -= size;
    removed++;
  }
  return {
    folder: cache.folder,
    removed: total(entries.slice(0, removed)),
    kept: total(entries.slice(removed)),
  };
}

function total(entries: readonly Entry[]): { entries: number; bytes: number } {
  return { entries: entries.length, bytes: entries.reduce((sum, { size }) => sum + size, 0) };
}

/** Entries with their links in trees, and what only trees have. */
function entriesOf(cache: ObjectCache): Entry[] {
  const inTrees = treeFiles(cache);
  const entries = objectsOf(cache).map(({ place, sha256, stats }) => {
    const links = inTrees.get(inodeOf(stats))?.places ?? [];
    inTrees.delete(inodeOf(stats));
    return { places: [place, ...links], sha256, size: stats.size, usedAt: stats.atimeMs };
  });
  const others = [...inTrees.values()].map(({ places, stats }) => {
    return { places, sha256: null, size: stats.size, usedAt: stats.atimeMs };
  });
  return [...entries, ...others];
}

function objectsOf({ folder }: ObjectCache): { place: string; sha256: string; stats: Stats }[] {
  return namesIn(folder)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => namesIn(join(folder, name)).map((sha256) => ({ name, sha256 })))
    .filter(({ name, sha256 }) => SHA256.test(sha256) && sha256.startsWith(name))
    .flatMap(({ name, sha256 }) => {
      const place = join(folder, name, sha256);
      const stats = fileAt(place);
      return stats === null ? [] : [{ place, sha256, stats }];
    });
}

/** Any order will do that is the same each time. */
function compareNames({ places: [a = ''] }: Entry, { places: [b = ''] }: Entry): number {
  return a < b ? -1 : 1;
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function removeAll(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
}

/** Removes what processes were writing that ended before it was whole. */
function removeAbandoned({ folder }: ObjectCache): void {
  for (const name of namesIn(join(folder, 'tmp'))) {
    const file = join(folder, 'tmp', name);
    const [, pid] = TEMPORARY.exec(name) ?? [];
    const stats = fileAt(file);
    if (pid === undefined || stats === null) continue;
    if (!isRunning(Number(pid)) || Date.now() - stats.ctimeMs > ABANDONED_AFTER)
      rmSync(file, { force: true });
  }
}

function fileAt(file: string): Stats | null {
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats?.isFile() ? stats : null;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return [];
    throw error;
  }
}
