import { readdirSync, rmSync, type Stats, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DAY } from '@bindery/contract/limits';
import { isSystemError } from '../failures.ts';
import { isProcessRunning } from '../tree/process-owner.ts';
import { fileTotal, type ProgressListener, withProgress } from '../tree/progress.ts';
import { verifyEntry } from './entry-trust.ts';
import type { ObjectCache } from './object-cache.ts';

export interface CacheInfo {
  /** The folder of the entries. */
  folder: string;
  entries: number;
  bytes: number;
  /** Last use of the least recently used entry, ISO 8601; null if there are no entries. */
  leastRecentUse: string | null;
}

export interface CacheVerification {
  folder: string;
  checked: number;
  bytes: number;
  /** SHA-256 in the names of the damaged entries, which were deleted. */
  damaged: string[];
}

export interface CachePruning {
  folder: string;
  removed: { entries: number; bytes: number };
  kept: { entries: number; bytes: number };
}

export interface MaintenanceOptions {
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

interface Entry {
  /** All paths of the file; if it has a `sha256`, the first is its path in the object cache. */
  paths: string[];
  /** Null if only trees still have the file. */
  sha256: string | null;
  size: number;
  /** Milliseconds since 1970. */
  usedAt: number;
}

const SHA256 = /^[0-9a-f]{64}$/;
const TEMPORARY = /^[0-9a-f]{64}\.(\d+)\.[0-9a-f]+$/;
/** Age in milliseconds after which a temporary file is abandoned, even if its process id is in use again. */
const ABANDONED_AFTER = DAY;
const YIELD_EVERY = 50;

export function cacheInfo(cache: ObjectCache): CacheInfo {
  const entries = entriesOf(cache);
  const uses = entries.map(({ usedAt }) => usedAt);
  return {
    folder: cache.folder,
    ...total(entries),
    leastRecentUse: uses.length === 0 ? null : new Date(uses.reduce((a, b) => Math.min(a, b))).toISOString(),
  };
}

/** Reads every entry and deletes those whose content does not match their name. */
export async function verifyCache(
  cache: ObjectCache,
  { signal, progress }: MaintenanceOptions = {},
): Promise<CacheVerification> {
  removeAbandoned(cache);
  const entries = entriesOf(cache).flatMap(({ sha256, ...entry }) => (sha256 ? [{ ...entry, sha256 }] : []));
  const { bytes } = total(entries);
  const damaged: string[] = [];
  await withProgress(progress, 'Verifying', fileTotal(entries), async (work) => {
    for (const [at, { paths, sha256, size }] of entries.entries()) {
      signal?.throwIfAborted();
      const place = paths.find(isThere);
      if (place !== undefined && !verifyEntry(place, sha256)) {
        damaged.push(sha256);
        removeAll(paths);
      }
      work.advance({ bytes: size, items: 1 });
      if (at % YIELD_EVERY === YIELD_EVERY - 1) await new Promise(setImmediate);
    }
  });
  return { folder: cache.folder, checked: entries.length, bytes, damaged };
}

/** Deletes the least recently used entries until at most `keep` bytes are left. */
export function pruneCache(cache: ObjectCache, keep: number): CachePruning {
  removeAbandoned(cache);
  const entries = entriesOf(cache).sort((a, b) => a.usedAt - b.usedAt || compareNames(a, b));
  let { bytes } = total(entries);
  let removed = 0;
  for (const { paths, size } of entries) {
    if (bytes <= keep) break;
    removeAll(paths);
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

/** Returns entries with their links in trees, and files that only trees have. */
function entriesOf(cache: ObjectCache): Entry[] {
  const inTrees = treeFiles(cache);
  const entries = objectsOf(cache).map(({ place, sha256, stats }) => {
    const links = inTrees.get(inodeOf(stats))?.paths ?? [];
    inTrees.delete(inodeOf(stats));
    return { paths: [place, ...links], sha256, size: stats.size, usedAt: stats.atimeMs };
  });
  const others = [...inTrees.values()].map(({ paths, stats }) => {
    return { paths, sha256: null, size: stats.size, usedAt: stats.atimeMs };
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

/** Any stable order will do. */
function compareNames({ paths: [a = ''] }: Entry, { paths: [b = ''] }: Entry): number {
  return a < b ? -1 : 1;
}

function isThere(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false }) !== undefined;
}

function removeAll(files: readonly string[]): void {
  for (const file of files) rmSync(file, { force: true });
}

/** Deletes temporary files of processes that ended before completing them. */
function removeAbandoned({ folder }: ObjectCache): void {
  for (const name of namesIn(join(folder, 'tmp'))) {
    const file = join(folder, 'tmp', name);
    const [, pid] = TEMPORARY.exec(name) ?? [];
    const stats = fileAt(file);
    if (pid === undefined || stats === null) continue;
    if (!isProcessRunning(Number(pid)) || Date.now() - stats.ctimeMs > ABANDONED_AFTER)
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
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}

/** A file in one or more trees. */
interface TreeFile {
  /** All paths of the file. */
  paths: string[];
  stats: Stats;
}

/**
 * Returns the files of the asset trees that the Python package places in the cache, by `inodeOf`. Most are hard links
 * to entries, and take up no space until the entry is deleted.
 */
function treeFiles(cache: ObjectCache): Map<string, TreeFile> {
  const trees = join(dirname(cache.folder), 'assets');
  const files = new Map<string, TreeFile>();
  for (const tree of entriesIn(trees).filter(({ name }) => /^[0-9a-f]{64}$/.test(name))) {
    for (const place of filesBelow(join(trees, tree.name), ['.bindery'])) {
      const stats = statSync(place, { throwIfNoEntry: false });
      if (stats === undefined) continue;
      const known = files.get(inodeOf(stats));
      if (known === undefined) files.set(inodeOf(stats), { paths: [place], stats });
      else known.paths.push(place);
    }
  }
  return files;
}

/** Returns a key that is the same for all names of one file. */
function inodeOf({ dev, ino }: Stats): string {
  return `${dev}:${ino}`;
}

function filesBelow(folder: string, but: readonly string[] = []): string[] {
  return entriesIn(folder).flatMap((entry) => {
    if (but.includes(entry.name)) return [];
    if (entry.isDirectory()) return filesBelow(join(folder, entry.name));
    return entry.isFile() ? [join(folder, entry.name)] : [];
  });
}

function entriesIn(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return [];
    throw error;
  }
}
