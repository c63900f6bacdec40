import { type BigIntStats, closeSync, constants, lstatSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { ConflictError, isSystemError } from '../failures.ts';

export const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const MAX_OPEN = 64;
/** Whether folders are held open, and names resolved in them. */
export const PINNED = process.platform === 'linux';

/**
 * The way to the folders below one, on which no link is followed. On Linux every folder on the way is held open, and
 * names are resolved in the open folder (`/proc/self/fd`); elsewhere each folder on the way is checked just before.
 * Folders are named by their path and a closing slash, the one at the top by nothing.
 */
export class OpenFolders {
  /** The real path of the folder at the top. */
  readonly #root: string;
  /** The path at which it is opened. */
  readonly #start: string;
  readonly #open = new Map<string, number>();

  constructor(root: string, start: string) {
    this.#root = root;
    this.#start = start;
  }

  /** Returns the descriptor of the folder at the top; null if folders are not held open. */
  hold(): number | null {
    if (PINNED) this.#pinned('', false);
    return this.#open.get('') ?? null;
  }

  /** Returns the path prefix of a folder's files, with a closing slash; null if it is missing and `make` is false. */
  descend(folder: string, make: boolean): string | null {
    return PINNED ? this.#pinned(folder, make) : this.#checked(folder, make);
  }

  /** Stops holding a folder open. */
  forget(folder: string): void {
    const descriptor = this.#open.get(folder);
    if (descriptor !== undefined) closeSync(descriptor);
    this.#open.delete(folder);
  }

  /** Has errors of the system name the path that they are about, not the open folder through which it was reached. */
  named<Result>(path: string, work: () => Result): Result {
    try {
      return work();
    } catch (error) {
      if (error instanceof Error && 'path' in error) error.path = join(this.#root, path);
      throw error;
    }
  }

  close(): void {
    for (const folder of [...this.#open.keys()]) this.forget(folder);
  }

  #pinned(folder: string, make: boolean): string | null {
    const known = this.#open.get(folder);
    if (known !== undefined) return descriptorPath(known);
    const above = folder === '' ? null : this.#pinned(folderOf(folder.slice(0, -1)), make);
    if (folder !== '' && above === null) return null;
    const place = above === null ? this.#start : above + baseOf(folder.slice(0, -1));
    const descriptor = this.named(folder.slice(0, -1), () =>
      openFolder(place, folder, make && above !== null),
    );
    if (descriptor === null) return null;
    this.#remember(folder, descriptor);
    return descriptorPath(descriptor);
  }

  #remember(folder: string, descriptor: number): void {
    if (this.#open.size >= MAX_OPEN) {
      const oldest = [...this.#open.keys()].find((name) => !folder.startsWith(name));
      if (oldest !== undefined) this.forget(oldest);
    }
    this.#open.set(folder, descriptor);
  }

  #checked(folder: string, make: boolean): string | null {
    let place = this.#root;
    for (const name of folder.split('/').slice(0, -1)) {
      place = join(place, name);
      if (make && lstatOrNull(place) === null) makeFolder(place);
      const found = lstatOrNull(place);
      if (found === null) return null;
      if (!found.isDirectory()) throw obstacleError(folder);
    }
    return `${place}/`;
  }
}

function openFolder(place: string, folder: string, make: boolean): number | null {
  // Throwing takes ten times as long as looking, and most of what a first pull looks for is missing.
  if (!make && lstatOrNull(place) === null) return null;
  for (let made = false; ; made = true) {
    try {
      return openSync(place, OPEN_FOLDER);
    } catch (error) {
      if (isSystemError(error, 'ELOOP', 'ENOTDIR')) throw obstacleError(folder);
      if (!isSystemError(error, 'ENOENT')) throw error;
      if (!make || made) return null;
      makeFolder(place);
    }
  }
}

export function descriptorPath(descriptor: number): string {
  return `/proc/self/fd/${descriptor}/`;
}

/** Creates a folder; false if there is something already. */
export function makeFolder(place: string): boolean {
  try {
    mkdirSync(place);
    return true;
  } catch (error) {
    if (!isSystemError(error, 'EEXIST')) throw error;
    return false;
  }
}

export function lstatOrNull(place: string): BigIntStats | null {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isSystemError(error, 'ENOTDIR')) return null;
    throw error;
  }
}

function obstacleError(folder: string): ConflictError {
  const path = folder.slice(0, -1);
  return new ConflictError(`${path} is a link or a file here and a folder in the library; move it away.`, [
    path,
  ]);
}

export function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

export function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}
