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

/** What an entry holds; `size` in bytes. */
export interface CachedObject {
  sha256: string;
  size: number;
}

/** How old the last use of an entry may be on record, in milliseconds. */
const USE_RECORDED_EVERY = 3_600_000;
const ENTRY_MODE = 0o444;

/**
 * The files that were pulled on this machine, by what they hold: `objects/<first two hex digits>/<SHA-256>`. Entries are
 * written beside and renamed, so that processes need no lock: two that bring the same entry waste a write and harm nothing.
 * A cache that cannot be written costs transfers and nothing else.
 */
export class ObjectCache {
  /** Where entries lie. */
  readonly folder: string;
  #writable = true;

  /** `cacheFolder` is where Bindery keeps caches. */
  constructor(cacheFolder: string) {
    this.folder = join(cacheFolder, 'objects');
  }

  /**
   * Where an object lies; null where it is not here. An entry whose size or stamp is not as its name says is read: it is
   * stamped anew where it is whole, and removed where it is not.
   */
  find({ sha256, size }: CachedObject): string | null {
    const file = this.#fileOf(sha256);
    const stats = lookAt(file);
    if (stats === null) return null;
    if (stats.size === size && stats.mtimeMs === stampOf(sha256) * 1_000) {
      recordUse(file, sha256, stats);
      return file;
    }
    return examine(file, sha256) && lookAt(file)?.size === size ? file : null;
  }

  /** What an object holds, read and hashed; null where it is not here, or no longer whole. */
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
   * Copies what an object holds into a buffer, which is at least as large; false where it is not here. An entry with the
   * size and the stamp of its name is taken as it was when it was hashed.
   */
  load(object: CachedObject, buffer: Uint8Array): boolean {
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

  /** As `read`, where nothing but the hash is known. */
  recall(sha256: string): Buffer | null {
    const size = lookAt(this.#fileOf(sha256))?.size;
    return size === undefined ? null : this.read({ sha256, size });
  }

  /** Keeps content that was verified. */
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
      this.#giveUp(temporary);
    }
  }

  /** Keeps a file that was verified and that nobody else writes: shares its blocks where the file system can, else copies. */
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
      this.#giveUp(temporary);
    }
  }

  /** Forgets an entry, whatever it holds. */
  remove(sha256: string): void {
    rmSync(this.#fileOf(sha256), { force: true });
  }

  #fileOf(sha256: string): string {
    return join(this.folder, sha256.slice(0, 2), sha256);
  }

  /** Where an entry is written before it has its name; null where nothing is to be written. */
  #begin(object: CachedObject): string | null {
    if (!this.#writable || this.find(object) !== null) return null;
    const name = `${object.sha256}.${process.pid}.${randomBytes(6).toString('hex')}`;
    return join(this.folder, 'tmp', name);
  }

  #finish({ sha256 }: CachedObject, temporary: string): void {
    const file = this.#fileOf(sha256);
    inFolder(file, () => renameSync(temporary, file));
  }

  /** A full disk or a home that cannot be written ends the keeping, and not the work that it was for. */
  #giveUp(temporary: string): void {
    this.#writable = false;
    removeIfPossible(temporary);
  }
}

function openNew(temporary: string): number {
  return inFolder(temporary, () => openSync(temporary, 'wx', ENTRY_MODE));
}

/** Whether an entry holds what its name says. Stamps it where it does, removes it where it does not. */
export function examine(file: string, sha256: string): boolean {
  const isWhole = hashOf(file) === sha256;
  try {
    if (isWhole) {
      chmodSync(file, ENTRY_MODE);
      utimesSync(file, Date.now() / 1_000, stampOf(sha256));
    } else rmSync(file, { force: true });
  } catch {
    // A cache that is only read stays as it is; what is wrong in it is not used all the same.
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

/** An entry, open to read; null where there is none. A link there is none. */
function openEntry(file: string): number | null {
  try {
    return openSync(file, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (isMissing(error) || isCode(error, 'ELOOP')) return null;
    throw error;
  }
}

/** Whether there were so many bytes. */
function readFully(descriptor: number, buffer: Uint8Array, size: number): boolean {
  let at = 0;
  while (at < size) {
    const read = readSync(descriptor, buffer, at, size - at, at);
    if (read === 0) return false;
    at += read;
  }
  return true;
}

/** A regular file at this place; null for whatever else may be there. */
function lookAt(file: string): Stats | null {
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
    // It is used all the same; another process may have removed it, or the cache may be one that is only read.
  }
}

/** Does something in a folder, and makes the folder only where it turns out to be missing. */
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
