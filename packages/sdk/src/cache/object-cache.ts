import { hash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  type Stats,
  utimesSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { isSystemError } from '../failures.ts';
import { isOwn } from '../tree/file-identity.ts';
import { CACHE_FOLDER_MODE, readFully, writeFully } from '../tree/files.ts';
import { ENTRY_MODE, ownSince, stampOf, verifyEntry } from './entry-trust.ts';

/** The content of an entry; `size` in bytes. */
export interface CachedObject {
  sha256: string;
  size: number;
}

/** Minimum time between two recorded uses of an entry, in milliseconds. */
const USE_RECORDED_EVERY = 3_600_000;

export interface ObjectCacheOptions {
  /** Hash every entry before it is used. */
  verify?: boolean | undefined;
  /** Called once with what prevents reading or writing the cache. */
  onProblem?: ((message: string) => void) | undefined;
}

/**
 * Files that were pulled on this machine, addressed by content: `objects/<first two hex digits>/<SHA-256>`. Entries are
 * written to a temporary file and renamed, so that processes need no lock: if two add the same entry, a write is wasted
 * but nothing breaks. A cache that cannot be read or written costs transfers and nothing else.
 */
export class ObjectCache {
  /** The folder of the entries. */
  readonly folder: string;
  readonly #options: ObjectCacheOptions;
  #writable = true;
  #ownSince: number | null = null;
  #hasProblem = false;

  /** `cacheFolder` is the folder of all of Bindery's caches. */
  constructor(cacheFolder: string, options: ObjectCacheOptions = {}) {
    this.folder = join(cacheFolder, 'objects');
    this.#options = options;
  }

  /**
   * Returns the path of an object; null if it is not cached. An entry that is not to be trusted as it is, is read and
   * hashed: if it is intact it is stamped again, otherwise it is deleted.
   */
  find({ sha256, size }: CachedObject): string | null {
    const file = this.#fileOf(sha256);
    const stats = this.#statFile(file);
    if (stats === null) return null;
    if (this.#isTrusted(stats, { sha256, size })) {
      recordUse(file, sha256, stats);
      return file;
    }
    try {
      return verifyEntry(file, sha256) && this.#statFile(file)?.size === size ? file : null;
    } catch (error) {
      return this.#report(error);
    }
  }

  /** Reads an object and verifies its hash; null if it is not cached or is damaged. */
  read(object: CachedObject): Buffer | null {
    const file = this.find(object);
    if (file === null) return null;
    try {
      const content = readFileSync(file);
      if (hash('sha256', content) === object.sha256) return content;
    } catch (error) {
      return this.#report(error);
    }
    removeIfPossible(file);
    return null;
  }

  /**
   * Copies an object into a buffer, which must be at least as large; false if it is not cached. A trusted entry is not
   * hashed again.
   */
  readInto(object: CachedObject, buffer: Uint8Array): boolean {
    const { sha256, size } = object;
    const file = this.#fileOf(sha256);
    const descriptor = this.#openEntry(file);
    if (descriptor === null) return false;
    try {
      const stats = fstatSync(descriptor);
      if (stats.isFile() && this.#isTrusted(stats, object)) {
        recordUse(file, sha256, stats);
        return readFully(descriptor, buffer.subarray(0, size), 0) === size;
      }
    } finally {
      closeSync(descriptor);
    }
    const whole = this.read(object);
    if (whole !== null) buffer.set(whole);
    return whole !== null;
  }

  /** Like `read`, if only the hash is known. */
  readByHash(sha256: string): Buffer | null {
    const size = this.#statFile(this.#fileOf(sha256))?.size;
    return size === undefined ? null : this.read({ sha256, size });
  }

  /** Caches content that was verified. */
  add(object: CachedObject, content: Uint8Array): void {
    const temporary = this.#begin(object);
    if (temporary === null) return;
    try {
      const descriptor = openNew(temporary);
      try {
        writeFully(descriptor, content, 0);
        futimesSync(descriptor, Date.now() / 1_000, stampOf(object.sha256));
      } finally {
        closeSync(descriptor);
      }
      this.#finish(object, temporary);
    } catch (error) {
      this.#stopCaching(temporary, error);
    }
  }

  /** Caches a verified file that nobody else writes. Shares its blocks if the file system can, else copies it. */
  async addFile(object: CachedObject, verified: string): Promise<void> {
    const temporary = this.#begin(object);
    if (temporary === null) return;
    try {
      makeFolderOf(temporary);
      await copyFile(verified, temporary, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
      chmodSync(temporary, ENTRY_MODE);
      utimesSync(temporary, Date.now() / 1_000, stampOf(object.sha256));
      this.#finish(object, temporary);
    } catch (error) {
      this.#stopCaching(temporary, error);
    }
  }

  #fileOf(sha256: string): string {
    return join(this.folder, sha256.slice(0, 2), sha256);
  }

  /** Returns the temporary path for an entry; null if nothing is to be written. */
  #begin(object: CachedObject): string | null {
    if (!this.#writable || this.find(object) !== null) return null;
    this.#ownSince ??= ownSince(this.folder);
    const name = `${object.sha256}.${process.pid}.${randomBytes(6).toString('hex')}`;
    return join(this.folder, 'tmp', name);
  }

  #finish({ sha256 }: CachedObject, temporary: string): void {
    const file = this.#fileOf(sha256);
    inFolder(file, () => renameSync(temporary, file));
  }

  /** Stops caching if the disk is full or the folder is not writable. The operation it was for goes on. */
  #stopCaching(temporary: string, error: unknown): void {
    this.#writable = false;
    removeIfPossible(temporary);
    this.#report(error);
  }

  /** Whether this user wrote the entry on this machine, and nobody has changed it since. */
  #isTrusted(stats: Stats, { sha256, size }: CachedObject): boolean {
    if (this.#options.verify || stats.size !== size || stats.mtimeMs !== stampOf(sha256) * 1_000)
      return false;
    this.#ownSince ??= ownSince(this.folder);
    return isOwn(stats) && stats.ctimeMs >= this.#ownSince;
  }

  /** Returns the stats of a regular file; null if it is missing, anything else, or cannot be reached. */
  #statFile(file: string): Stats | null {
    try {
      const stats = lstatSync(file, { throwIfNoEntry: false });
      return stats?.isFile() ? stats : null;
    } catch (error) {
      return this.#report(error);
    }
  }

  /** Opens an entry for reading; null if there is none. A symbolic link does not count as an entry. */
  #openEntry(file: string): number | null {
    try {
      return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch (error) {
      return isSystemError(error, 'ELOOP') ? null : this.#report(error);
    }
  }

  /** An entry that has vanished is no problem. */
  #report(error: unknown): null {
    if (isMissing(error) || this.#hasProblem) return null;
    this.#hasProblem = true;
    const code = error instanceof Error && 'code' in error ? String(error.code) : String(error);
    this.#options.onProblem?.(`the cache in ${this.folder} cannot be used (${code})`);
    return null;
  }
}

function openNew(temporary: string): number {
  return inFolder(temporary, () => openSync(temporary, 'wx', ENTRY_MODE));
}

/** Opens the cache for an operation that may go without: null if `cache` is false. */
export function openCache(options: {
  cacheFolder: string;
  cache?: boolean | undefined;
  verify?: boolean | undefined;
  onCacheProblem?: ((message: string) => void) | undefined;
}): ObjectCache | null {
  const { cacheFolder, cache, verify, onCacheProblem: onProblem } = options;
  return cache === false ? null : new ObjectCache(cacheFolder, { verify, onProblem });
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

function recordUse(file: string, sha256: string, { atimeMs }: Stats): void {
  const now = Date.now();
  if (now - atimeMs < USE_RECORDED_EVERY) return;
  try {
    utimesSync(file, now / 1_000, stampOf(sha256));
  } catch {
    // The entry is used anyway. Another process might have deleted it, or the cache might be read-only.
  }
}

/** Runs `work`, and creates the folder of `file` only if it turns out to be missing. */
function inFolder<T>(file: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    if (!isMissing(error)) throw error;
    makeFolderOf(file);
    return work();
  }
}

function makeFolderOf(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: CACHE_FOLDER_MODE });
}

function isMissing(error: unknown): boolean {
  return isSystemError(error, 'ENOENT', 'ENOTDIR');
}
