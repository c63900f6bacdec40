import { constants } from 'node:fs';
import { join } from 'node:path';
import { DAY, RESERVED_FOLDER } from '@bindery/contract/wire';
import type { GuardedFolder, ReplaceableFiles } from '../tree/guarded-folder.ts';
import { type HashedFile, hashFile } from '../tree/hash-file.ts';

/** Where pulls set aside what they replace and nobody else has: one folder per pull, named by its time. */
export const SET_ASIDE_FOLDER = `${RESERVED_FOLDER}replaced/`;

const KEPT = 30 * DAY;
/** An unfinished pull is continued in its folder for this long, so that nothing is added to one that expires soon. */
const CONTINUED = 7 * DAY;
/** Clocks that show an earlier time are wrong, as those of small machines are until they have reached a time server. */
const EARLIEST = Date.UTC(2026, 0);
const TIME = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z$/;
const MAX_TRIES = 10;
const REGULAR_FILE = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The files that a pull has set aside. */
export interface FilesSetAside {
  /** The real path of the folder that has them, at the same paths as before. */
  folder: string;
  files: string[];
}

export interface SettingAsideOptions {
  /** The name of the folder that an unfinished pull used. */
  unfinished?: string | undefined;
  /** Whether content that is at a path is also in the library or in the cache, or was put there by a pull. */
  isElsewhere(path: string, content: { sha256: string; size: number }): boolean;
  /** Called with the name of the folder before the first file is moved into it. */
  onBegin?(name: string): void;
}

/** Moves what a pull is about to replace out of its way, unless the same content is elsewhere. */
export class SettingAside {
  readonly #folder: GuardedFolder;
  readonly #options: SettingAsideOptions;
  #name: string | null;

  constructor(folder: GuardedFolder, options: SettingAsideOptions) {
    this.#folder = folder;
    this.#options = options;
    const { unfinished } = options;
    this.#name = unfinished !== undefined && Date.now() - timeOf(unfinished) < CONTINUED ? unfinished : null;
  }

  /** From here on nothing but these files is replaced without being set aside. */
  guard(replaceable: ReplaceableFiles): void {
    this.#folder.replaceOnly(replaceable, (path) => this.#setAside(path));
  }

  #setAside(path: string): void {
    const content = this.#contentAt(path);
    if (this.#isElsewhere(path, content) || this.#folder.lstat(path) === null) return;
    this.#name ??= this.#begin();
    const place = this.#freePath(path, `${SET_ASIDE_FOLDER}${this.#name}/`);
    this.#folder.move(path, place);
    // Another pull might have placed the file since it was read.
    const isAnother = this.#folder.lstat(place)?.ino !== content?.inode;
    if (isAnother && this.#isElsewhere(path, this.#contentAt(place))) {
      this.#folder.remove(place);
      this.#folder.removeEmptyFoldersAbove(place);
    }
  }

  /** Returns what this pull, and the unfinished one before it, set aside; null if nothing was. */
  finish(): FilesSetAside | null {
    if (this.#name === null) return null;
    const path = SET_ASIDE_FOLDER + this.#name;
    const files = filesBelow(this.#folder, `${path}/`).map((file) => file.slice(path.length + 1));
    return files.length === 0 ? null : { folder: join(this.#folder.root, path), files: files.sort() };
  }

  #isElsewhere(path: string, content: HashedFile | null): boolean {
    return content !== null && this.#options.isElsewhere(path, content);
  }

  /** Returns null for anything but a regular file that can be read, and that nobody is changing. */
  #contentAt(path: string): HashedFile | null {
    for (let tries = 1; ; tries++) {
      try {
        const content = hashFile(join(this.#folder.root, path), REGULAR_FILE);
        if (content !== null || tries === MAX_TRIES) return content;
      } catch {
        return null;
      }
    }
  }

  #begin(): string {
    for (let time = Date.now(); ; time += 1_000) {
      const name = new Date(time)
        .toISOString()
        .replace(/\.\d+Z$/, 'Z')
        .replaceAll(':', '-');
      if (!this.#folder.createFolder(SET_ASIDE_FOLDER + name)) continue;
      this.#options.onBegin?.(name);
      return name;
    }
  }

  /** A path can be set aside twice if it is edited again while the pull runs. */
  #freePath(path: string, below: string): string {
    let free = below + path;
    for (let nth = 2; this.#folder.lstat(free) !== null; nth++) free = `${below}${path}.${nth}`;
    return free;
  }
}

/** Deletes what pulls set aside more than 30 days ago. */
export function removeExpired(folder: GuardedFolder): void {
  for (const name of folder.siblingNames(SET_ASIDE_FOLDER)) {
    const time = timeOf(name);
    if (time >= EARLIEST && Date.now() - time > KEPT) folder.removeFolder(SET_ASIDE_FOLDER + name);
  }
}

/** Milliseconds since 1970; NaN for a name that no pull gave. */
function timeOf(name: string): number {
  const [, day, hours, minutes, seconds] = TIME.exec(name) ?? [];
  return Date.parse(`${day}T${hours}:${minutes}:${seconds}Z`);
}

function filesBelow(folder: GuardedFolder, prefix: string): string[] {
  return folder.siblingNames(prefix).flatMap((name) => {
    const path = prefix + name;
    return folder.lstat(path)?.isDirectory() ? filesBelow(folder, `${path}/`) : [path];
  });
}
