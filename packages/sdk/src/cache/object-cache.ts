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
  readSync,
  renameSync,
  rmSync,
  type Stats,
  utimesSync,
  writeSync,
} from 'node:fs';
import { copyFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { hashFile } from '../tree/hash-file.ts';
import { stampOf } from './stamp.ts';

/** The content of an entry; `size` in bytes. */
export interface CachedObject {
  sha256: string;
  size: number;
}

/** Minimum time between two recorded uses of an entry, in milliseconds. */
const USE_RECORDED_EVERY = 3_600_000;
const ENTRY_MODE = 0o444;

/**
 * Files that were pulled on this machine, addressed by content: `objects/<first two hex digits>/<SHA-256>`. Entries are
 * written to a temporary file and renamed, so that processes need no lock: if two add the same entry, a write is wasted
 * but nothing breaks. A cache that cannot be written costs transfers and nothing else.
 */
export class ObjectCache {
  /** The folder of the entries. */
  readonly folder: string;
  #writable = true;

  /** `cacheFolder` is the folder of all of Bindery's caches. */
  constructor(cacheFolder: string) {
    this.folder = join(cacheFolder, 'objects');
  }

  /**
   * Returns the path of an object; null if it is not cached. An entry without the expected size or stamp is read and
   * hashed: if it is intact it is stamped again, otherwise it is deleted.
   */
  find({ sha256, size }: CachedObject): string | null {
    const file = this.#fileOf(sha256);
    const stats = statFile(file);
    if (stats === null) return null;
    if (stats.size === size && stats.mtimeMs === stampOf(sha256) * 1_000) {
      recordUse(file, sha256, stats);
      return file;
    }
    return verifyEntry(file, sha256) && statFile(file)?.size === size ? file : null;
  }

  /** Reads an object and verifies its hash; null if it is not cached or is damaged. */
  read(object: CachedObject): Buffer | null {
    const file = this.find(object);
    if (file === null) return null;
    try {
      const content = readFileSync(file);
      if (hash('sha256', content) === object.sha256) return content;
    } catch (error) {
      if (!isMissing(error)) throw error;
    }
    this.remove(object.sha256);
    return null;
  }

  /**
   * Copies an object into a buffer, which must be at least as large; false if it is not cached. An entry with the
   * expected size and stamp is not hashed again.
   */
  readInto(object: CachedObject, buffer: Uint8Array): boolean {
    const { sha256, size } = object;
    const file = this.#fileOf(sha256);
    const descriptor = openEntry(file);
    if (descriptor === null) return false;
    try {
      const stats = fstatSync(descriptor);
      if (stats.isFile() && stats.size === size && stats.mtimeMs === stampOf(sha256) * 1_000) {
        recordUse(file, sha256, stats);
        return readFully(descriptor, buffer, size);
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
    const size = statFile(this.#fileOf(sha256))?.size;
    return size === undefined ? null : this.read({ sha256, size });
  }

  /** Caches content that was verified. */
  add(object: CachedObject, content: Uint8Array): void {
    const temporary = this.#begin(object);
    if (temporary === null) return;
    try {
      const descriptor = openNew(temporary);
      try {
        for (let at = 0; at < content.length; ) at += writeSync(descriptor, content, at);
        futimesSync(descriptor, Date.now() / 1_000, stampOf(object.sha256));
      } finally {
        closeSync(descriptor);
      }
      this.#finish(object, temporary);
    } catch {
      this.#stopCaching(temporary);
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
    } catch {
      this.#stopCaching(temporary);
    }
  }

  /** Deletes an entry, whatever its content. */
  remove(sha256: string): void {
    rmSync(this.#fileOf(sha256), { force: true });
  }

  #fileOf(sha256: string): string {
    return join(this.folder, sha256.slice(0, 2), sha256);
  }

  /** Returns the temporary path for an entry; null if nothing is to be written. */
  #begin(object: CachedObject): string | null {
    if (!this.#writable || this.find(object) !== null) return null;
    const name = `${object.sha256}.${process.pid}.${randomBytes(6).toString('hex')}`;
    return join(this.folder, 'tmp', name);
  }

  #finish({ sha256 }: CachedObject, temporary: string): void {
    const file = this.#fileOf(sha256);
    inFolder(file, () => renameSync(temporary, file));
  }

  /** Stops caching if the disk is full or the folder is not writable. The operation it was for goes on. */
  #stopCaching(temporary: string): void {
    this.#writable = false;
    removeIfPossible(temporary);
  }
}

function openNew(temporary: string): number {
  return inFolder(temporary, () => openSync(temporary, 'wx', ENTRY_MODE));
}

/** Reports whether an entry's content matches its name. Stamps it if it does, deletes it if it does not. */
export function verifyEntry(file: string, sha256: string): boolean {
  const isWhole = hashOf(file) === sha256;
  try {
    if (isWhole) {
      chmodSync(file, ENTRY_MODE);
      utimesSync(file, Date.now() / 1_000, stampOf(sha256));
    } else rmSync(file, { force: true });
  } catch {
    // A read-only cache stays as it is; its damaged entries are not used either.
  }
  return isWhole;
}

function hashOf(file: string): string | null {
  try {
    return hashFile(file)?.sha256 ?? null;
  } catch {
    return null;
  }
}

function removeIfPossible(file: string): void {
  try {
    rmSync(file, { force: true });
  } catch {}
}

/** Opens an entry for reading; null if there is none. A symbolic link does not count as an entry. */
function openEntry(file: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (isMissing(error) || isCode(error, 'ELOOP')) return null;
    throw error;
  }
}

/** Reads `size` bytes; false if the file has fewer. */
function readFully(descriptor: number, buffer: Uint8Array, size: number): boolean {
  let at = 0;
  while (at < size) {
    const read = readSync(descriptor, buffer, at, size - at, at);
    if (read === 0) return false;
    at += read;
  }
  return true;
}

/** Returns the stats of a regular file; null if it is missing or anything else. */
function statFile(file: string): Stats | null {
  try {
    const stats = lstatSync(file, { throwIfNoEntry: false });
    return stats?.isFile() ? stats : null;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
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
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
}

function isMissing(error: unknown): boolean {
  return isCode(error, 'ENOENT', 'ENOTDIR');
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
