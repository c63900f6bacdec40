import {
  type BigIntStats,
  closeSync,
  constants,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConflictError, TreeError } from '../failures.ts';
import { makeFolders } from './make-folders.ts';

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const MAX_OPEN = 64;
const PINNED = process.platform === 'linux';

/** A folder that is held open, for another thread of this process to use meanwhile. */
export interface HeldFolder {
  root: string;
  /** Null where folders are not held. */
  descriptor: number | null;
}

/** A folder that nobody sees yet. */
export interface StagedFolder {
  /** Where names in it resolve, with a closing slash; right until something else is done with the folders around it. */
  place(): string;
  /** False where something else has come to lie at its path. */
  putInPlace(): boolean;
  close(): void;
}

/**
 * A folder that nothing leads out of: no link in it is ever followed, not even one that is planted while it is used. On
 * Linux every folder on the way is held open, and names are resolved in what is held (`/proc/self/fd`); elsewhere each
 * folder on the way is looked at just before. Paths are relative and canonical.
 */
export class GuardedFolder {
  /** The real path of the folder itself, which may be reached through a link. */
  readonly root: string;
  /** Where it is opened. */
  readonly #start: string;
  readonly #open = new Map<string, number>();

  private constructor(root: string, start: string) {
    this.root = root;
    this.#start = start;
  }

  /** Opens a folder, making it where it is missing. */
  static make(folder: string): GuardedFolder {
    try {
      makeFolders(folder);
    } catch (error) {
      if (isCode(error, 'EEXIST', 'ENOTDIR', 'ENOENT'))
        throw new TreeError(`${folder} is not a folder and cannot be created`);
      throw error;
    }
    return GuardedFolder.#at(folder);
  }

  /** Opens a folder; null where there is none. */
  static open(folder: string): GuardedFolder | null {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? GuardedFolder.#at(folder) : null;
  }

  /** Opens the very folder that another thread holds, whatever has its name by now. */
  static share({ root, descriptor }: HeldFolder): GuardedFolder {
    return new GuardedFolder(root, descriptor === null ? root : throughDescriptor(descriptor));
  }

  static #at(folder: string): GuardedFolder {
    const root = realpathSync(folder);
    return new GuardedFolder(root, root);
  }

  /** For `share`, until this is closed. */
  hold(): HeldFolder {
    if (PINNED) this.#pinned('', false);
    return { root: this.root, descriptor: this.#open.get('') ?? null };
  }

  /** What lies at the path itself, links not followed; null where nothing does, or where a folder is missing. */
  look(path: string): BigIntStats | null {
    return this.lookBeside(path, baseOf(path));
  }

  /** The same of what lies beside the path under another name. */
  lookBeside(path: string, name: string): BigIntStats | null {
    const folder = this.#descend(folderOf(path), false);
    return folder === null ? null : lookAt(folder + name);
  }

  /**
   * Opens a file to write, beside `path` under another `name`, making the folders of the path. It must not be there yet,
   * unless `resume` says that it is.
   */
  openBeside(path: string, name: string, { resume = false } = {}): number {
    const fresh = constants.O_CREAT | constants.O_EXCL;
    const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (resume ? 0 : fresh);
    return openSync(this.#make(folderOf(path)) + name, flags, 0o666);
  }

  /** Gives `work` a name for what is to be beside `path` under `name`, which is right for the time of the call. */
  makeBeside(path: string, name: string, work: (place: string) => void): void {
    work(this.#make(folderOf(path)) + name);
  }

  /** Where a file beside `path` that is open can be opened again for as long as it is. */
  reopenable(path: string, name: string, descriptor: number): string {
    return PINNED ? `/proc/self/fd/${descriptor}` : this.#make(folderOf(path)) + name;
  }

  /** Moves what lies beside `path` under `name` to the path, in one step. */
  putInPlace(path: string, name: string): void {
    const folder = this.#make(folderOf(path));
    try {
      renameSync(folder + name, folder + baseOf(path));
    } catch (error) {
      if (isCode(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) {
        throw new ConflictError(`${path} is a folder here and a file in the library; move it away`, [path]);
      }
      throw error;
    }
  }

  /**
   * Begins a folder at `path`, which is missing, beside its place under `name`. It is put in place in one step once it is
   * filled; `close` removes what was not.
   */
  stageFolder(path: string, name: string): StagedFolder {
    const beside = () => this.#make(folderOf(path));
    mkdirSync(beside() + name);
    const descriptor = PINNED ? openSync(beside() + name, OPEN_FOLDER) : null;
    let isInPlace = false;
    return {
      place: () => (descriptor === null ? `${beside() + name}/` : throughDescriptor(descriptor)),
      putInPlace() {
        const folder = beside();
        try {
          renameSync(folder + name, folder + baseOf(path));
          isInPlace = true;
        } catch (error) {
          if (!isCode(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM')) throw error;
        }
        return isInPlace;
      },
      close() {
        if (descriptor !== null) closeSync(descriptor);
        if (!isInPlace) rmSync(beside() + name, { recursive: true, force: true });
      },
    };
  }

  /** Gives what lies beside `path` another name; false where it is gone. */
  renameBeside(path: string, from: string, to: string): boolean {
    const folder = this.#make(folderOf(path));
    try {
      renameSync(folder + from, folder + to);
      return true;
    } catch (error) {
      if (isCode(error, 'ENOENT')) return false;
      throw error;
    }
  }

  /** Removes a folder beside `path` that was begun and never put in place. */
  removeStaged(path: string, name: string): void {
    const place = this.#find(folderOf(path) + name);
    if (place !== null) rmSync(place, { recursive: true, force: true });
  }

  /** Removes the file at the path. */
  remove(path: string): void {
    this.removeBeside(path, baseOf(path));
  }

  removeBeside(path: string, name: string): void {
    const place = this.#find(folderOf(path) + name);
    if (place !== null) rmSync(place, { force: true });
  }

  /** The names in the folder of a path; none where it is missing. */
  namesBeside(path: string): string[] {
    const folder = this.#descend(folderOf(path), false);
    return folder === null ? [] : readdirSync(folder);
  }

  close(): void {
    for (const descriptor of this.#open.values()) closeSync(descriptor);
    this.#open.clear();
  }

  #find(path: string): string | null {
    const folder = this.#descend(folderOf(path), false);
    return folder === null ? null : folder + baseOf(path);
  }

  #make(folder: string): string {
    const place = this.#descend(folder, true);
    if (place === null) throw new Error(`${folder} was deleted while it was being written to`);
    return place;
  }

  /** Where the names of a folder resolve, with a closing slash; null where it is missing and is not to be made. */
  #descend(folder: string, make: boolean): string | null {
    return PINNED ? this.#pinned(folder, make) : this.#checked(folder, make);
  }

  #pinned(folder: string, make: boolean): string | null {
    const known = this.#open.get(folder);
    if (known !== undefined) return throughDescriptor(known);
    const above = folder === '' ? null : this.#pinned(folderOf(folder.slice(0, -1)), make);
    if (folder !== '' && above === null) return null;
    const place = above === null ? this.#start : above + baseOf(folder.slice(0, -1));
    const descriptor = this.#openFolder(place, folder, make && above !== null);
    if (descriptor === null) return null;
    this.#remember(folder, descriptor);
    return throughDescriptor(descriptor);
  }

  #openFolder(place: string, folder: string, make: boolean): number | null {
    // To throw costs ten times what it takes to look, and most of what a first pull looks for is missing.
    if (!make && lookAt(place) === null) return null;
    for (let made = false; ; made = true) {
      try {
        return openSync(place, OPEN_FOLDER);
      } catch (error) {
        if (isCode(error, 'ELOOP', 'ENOTDIR')) throw inTheWay(folder);
        if (!isCode(error, 'ENOENT')) throw error;
        if (!make || made) return null;
        makeFolder(place);
      }
    }
  }

  #remember(folder: string, descriptor: number): void {
    if (this.#open.size >= MAX_OPEN) {
      const oldest = [...this.#open.keys()].find((name) => !folder.startsWith(name));
      if (oldest !== undefined) {
        closeSync(this.#open.get(oldest) ?? -1);
        this.#open.delete(oldest);
      }
    }
    this.#open.set(folder, descriptor);
  }

  #checked(folder: string, make: boolean): string | null {
    let place = this.root;
    for (const name of folder.split('/').slice(0, -1)) {
      place = join(place, name);
      if (make && lookAt(place) === null) makeFolder(place);
      const found = lookAt(place);
      if (found === null) return null;
      if (!found.isDirectory()) throw inTheWay(folder);
    }
    return `${place}/`;
  }
}

function throughDescriptor(descriptor: number): string {
  return `/proc/self/fd/${descriptor}/`;
}

function makeFolder(place: string): void {
  try {
    mkdirSync(place);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  }
}

function lookAt(place: string): BigIntStats | null {
  try {
    return lstatSync(place, { bigint: true, throwIfNoEntry: false }) ?? null;
  } catch (error) {
    if (isCode(error, 'ENOTDIR')) return null;
    throw error;
  }
}

function inTheWay(folder: string): ConflictError {
  const path = folder.slice(0, -1);
  return new ConflictError(`${path} is a link or a file here and a folder in the library; move it away`, [
    path,
  ]);
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/') + 1);
}

function baseOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1);
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
