import {
  type BigIntStats,
  closeSync,
  constants,
  mkdirSync,
  openSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { ConflictError, isSystemError, TreeError } from '../failures.ts';
import { identityOf, identityText } from './file-identity.ts';
import { makeFolders } from './files.ts';
import {
  baseOf,
  descriptorPath,
  folderOf,
  lstatOrNull,
  makeFolder,
  OPEN_FOLDER,
  OpenFolders,
  PINNED,
} from './open-folders.ts';

/** A folder that is held open for another thread of this process to use. */
export interface FolderHandle {
  root: string;
  /** Null if folders are not held open. */
  descriptor: number | null;
  /** Null: everything may be replaced. */
  replaceable: ReplaceableFiles | null;
}

/** Identities of files that may be replaced, by path, as `identityText` returns them. */
export type ReplaceableFiles = ReadonlyMap<string, string>;

/** A folder that is not visible at its path yet. */
export interface StagedFolder {
  /** The path prefix of its files, with a closing slash. Valid until the next operation on the folders around it. */
  pathPrefix(): string;
  /** Moves the folder to its path; false if something else exists there by now. */
  putInPlace(): boolean;
  close(): void;
}

/**
 * A folder that no operation leads out of: no link in it is ever followed, not even one that is planted while it is in
 * use. Paths are relative and canonical.
 */
export class GuardedFolder {
  /** The real path of the folder, which itself can be reached through a link. */
  readonly root: string;
  readonly #folders: OpenFolders;
  #replaceable: ReplaceableFiles | null = null;
  #setAside: ((path: string) => void) | null = null;

  private constructor(root: string, start: string) {
    this.root = root;
    this.#folders = new OpenFolders(root, start);
  }

  /** Opens a folder, creating it if it is missing. */
  static openOrCreate(folder: string): GuardedFolder {
    try {
      makeFolders(folder);
    } catch (error) {
      if (isSystemError(error, 'EEXIST', 'ENOTDIR', 'ENOENT'))
        throw new TreeError(`${folder} is not a folder and cannot be created.`);
      throw error;
    }
    return GuardedFolder.#at(folder);
  }

  /** Opens a folder; null if there is none. */
  static open(folder: string): GuardedFolder | null {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() ? GuardedFolder.#at(folder) : null;
  }

  /**
   * Opens a folder below another one, following no link on the way. It is created if it is missing, or null. Throws
   * `ConflictError` if something else is in its place.
   */
  static openBelow(above: string, path: string, { create }: { create: boolean }): GuardedFolder | null {
    const outer = GuardedFolder.#at(above);
    try {
      const place = outer.#folders.descend(`${path}/`, create);
      if (place === null) return null;
      const folder = new GuardedFolder(join(outer.root, path), place);
      folder.#folders.hold();
      return folder;
    } finally {
      outer.close();
    }
  }

  /** Opens the folder that another thread holds, even if its path leads to another one by now. */
  static fromHandle({ root, descriptor, replaceable }: FolderHandle): GuardedFolder {
    const folder = new GuardedFolder(root, descriptor === null ? root : descriptorPath(descriptor));
    folder.#replaceable = replaceable;
    return folder;
  }

  static #at(folder: string): GuardedFolder {
    const root = realpathSync(folder);
    return new GuardedFolder(root, root);
  }

  /** Returns the argument for `fromHandle`, valid until this folder is closed. */
  toHandle(): FolderHandle {
    return { root: this.root, descriptor: this.#folders.hold(), replaceable: this.#replaceable };
  }

  /**
   * From here on `putInPlace` replaces only these files, and only if they have not changed. It calls `setAside` with the
   * path of any other that is in its way. In another thread it throws instead.
   */
  replaceOnly(replaceable: ReplaceableFiles, setAside: (path: string) => void): void {
    this.#replaceable = replaceable;
    this.#setAside = setAside;
  }

  /** Ends what `replaceOnly` began. */
  replaceAnything(): void {
    this.#replaceable = null;
  }

  /** Returns the stats of the path without following links; null if it or a folder above it is missing. */
  lstat(path: string): BigIntStats | null {
    return this.lstatSibling(path, baseOf(path));
  }

  /** Like `lstat`, for another name in the folder of the path. */
  lstatSibling(path: string, name: string): BigIntStats | null {
    const folder = this.#folders.descend(folderOf(path), false);
    return folder === null ? null : lstatOrNull(folder + name);
  }

  /**
   * Opens a file for writing, next to `path` under another `name`, creating the folders of the path. It must not exist
   * yet, or must exist if `resume` is set.
   */
  openSibling(path: string, name: string, { resume = false } = {}): number {
    const fresh = constants.O_CREAT | constants.O_EXCL;
    const flags = constants.O_RDWR | (constants.O_NOFOLLOW ?? 0) | (resume ? 0 : fresh);
    const folder = this.#make(folderOf(path));
    return this.#folders.named(path, () => openSync(folder + name, flags, 0o666));
  }

  /** Opens a file next to `path` for reading; null if there is none. */
  openSiblingToRead(path: string, name: string): number | null {
    const place = this.#find(folderOf(path) + name);
    if (place === null || lstatOrNull(place)?.isFile() !== true) return null;
    try {
      return openSync(place, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
    } catch (error) {
      if (isSystemError(error, 'ENOENT', 'ELOOP')) return null;
      throw error;
    }
  }

  /** Calls `work` with the path for something to create next to `path` under `name`. It is valid during the call. */
  createSibling(path: string, name: string, work: (place: string) => void): void {
    work(this.#make(folderOf(path)) + name);
  }

  /** Returns the path at which an open file next to `path` can be opened again, valid while it is open. */
  reopenPath(path: string, name: string, descriptor: number): string {
    return PINNED ? `/proc/self/fd/${descriptor}` : this.#make(folderOf(path)) + name;
  }

  /** Moves what is next to `path` under `name` to the path, atomically. */
  putInPlace(path: string, name: string): void {
    this.#makeWay(path);
    const folder = this.#make(folderOf(path));
    this.#folders.named(path, () => {
      try {
        renameSync(folder + name, folder + baseOf(path));
      } catch (error) {
        if (isSystemError(error, 'EISDIR', 'ENOTEMPTY', 'EEXIST', 'ENOTDIR')) {
          throw new ConflictError(`${path} is a folder here and a file in the library; move it away.`, [
            path,
          ]);
        }
        throw error;
      }
    });
  }

  /**
   * Creates a folder next to `path`, which is missing, under `name`. Once filled it is moved into place atomically;
   * `close` deletes it if it was not.
   */
  stageFolder(path: string, name: string): StagedFolder {
    const beside = () => this.#make(folderOf(path));
    this.#folders.named(path, () => mkdirSync(beside() + name));
    const descriptor = PINNED ? openSync(beside() + name, OPEN_FOLDER) : null;
    let isInPlace = false;
    return {
      pathPrefix: () => (descriptor === null ? `${beside() + name}/` : descriptorPath(descriptor)),
      putInPlace() {
        const folder = beside();
        try {
          renameSync(folder + name, folder + baseOf(path));
          isInPlace = true;
        } catch (error) {
          if (!isSystemError(error, 'ENOTEMPTY', 'EEXIST', 'ENOTDIR', 'EPERM')) throw error;
        }
        return isInPlace;
      },
      close() {
        if (descriptor !== null) closeSync(descriptor);
        if (!isInPlace) rmSync(beside() + name, { recursive: true, force: true });
      },
    };
  }

  /** Creates a folder and those above it; false if it exists already. */
  createFolder(path: string): boolean {
    const above = this.#make(folderOf(path));
    return this.#folders.named(path, () => makeFolder(above + baseOf(path)));
  }

  /** Moves a file, or a link as such, to another path, atomically, creating the folders of that path. */
  move(from: string, to: string): void {
    const folder = this.#make(folderOf(to));
    const source = this.#find(from);
    if (source !== null) this.#folders.named(from, () => renameSync(source, folder + baseOf(to)));
  }

  /** Renames what is next to `path`; false if it no longer exists. */
  renameSibling(path: string, from: string, to: string): boolean {
    const folder = this.#make(folderOf(path));
    try {
      renameSync(folder + from, folder + to);
      return true;
    } catch (error) {
      if (isSystemError(error, 'ENOENT')) return false;
      throw error;
    }
  }

  /** Deletes a folder with all that it contains. */
  removeFolder(path: string): void {
    const place = this.#find(path);
    if (place !== null) rmSync(place, { recursive: true, force: true });
  }

  /** Deletes the folders above a path, the innermost first, as long as they are empty. */
  removeEmptyFoldersAbove(path: string): void {
    for (let at = folderOf(path); at !== ''; at = folderOf(at.slice(0, -1))) {
      try {
        this.#folders.forget(at);
        rmdirSync(this.#find(at.slice(0, -1)) ?? '');
      } catch {
        return;
      }
    }
  }

  /** Deletes the file at the path. */
  remove(path: string): void {
    this.removeSibling(path, baseOf(path));
  }

  removeSibling(path: string, name: string): void {
    const place = this.#find(folderOf(path) + name);
    if (place !== null) rmSync(place, { force: true });
  }

  /** Returns the names in the folder of a path; none if it is missing. */
  siblingNames(path: string): string[] {
    const folder = this.#folders.descend(folderOf(path), false);
    return folder === null ? [] : readdirSync(folder);
  }

  close(): void {
    this.#folders.close();
  }

  #makeWay(path: string): void {
    if (this.#replaceable === null) return;
    const stats = this.lstat(path);
    if (stats === null || stats.isDirectory()) return;
    if (this.#replaceable.get(path) === identityText(identityOf(stats))) return;
    if (this.#setAside === null) throw new ConflictError(`${path} has changed meanwhile.`, [path]);
    this.#setAside(path);
  }

  #find(path: string): string | null {
    const folder = this.#folders.descend(folderOf(path), false);
    return folder === null ? null : folder + baseOf(path);
  }

  #make(folder: string): string {
    const place = this.#folders.descend(folder, true);
    if (place === null) throw new Error(`${folder} was deleted while it was being written to`);
    return place;
  }
}
