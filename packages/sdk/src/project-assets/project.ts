import { hash } from 'node:crypto';
import { realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ConflictError, isSystemError, TreeError } from '../failures.ts';
import { readNamed } from '../tree/files.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { readCached, writeRecord } from '../tree/records.ts';
import { ASSETS_FILE } from './assets-file.ts';
import { LOCK_FILE } from './lock.ts';

/** A folder with an `assets.yml` or an `assets.lock`, as it was read. */
export interface Project {
  /** Its real path. */
  root: string;
  /** Texts; null if the file is missing. */
  assetsFile: string | null;
  lockFile: string | null;
}

/** The folder of a project's assets, by its path below that of the project. */
export interface AssetsFolder {
  root: string;
  name: string;
}

/** Reads the project that a folder belongs to: its own, else the nearest above. Throws `TreeError` if there is none. */
export function readProject(folder: string): Project {
  const root = findProject(folder);
  if (root !== null) return readProjectAt(root);
  throw new TreeError(`There is no ${ASSETS_FILE} in ${folder} or any folder above it.`, {
    code: 'no_project',
  });
}

/** Like `readProject`; if there is no project, returns the folder itself as one without files. */
export function readProjectOrFolder(folder: string): Project {
  return readProjectAt(findProject(folder) ?? realpathSync(folder));
}

function findProject(folder: string): string | null {
  for (let at = realpathSync(folder); ; at = dirname(at)) {
    if (isFile(join(at, ASSETS_FILE)) || isFile(join(at, LOCK_FILE))) return at;
    if (at === dirname(at)) return null;
  }
}

function isFile(file: string): boolean {
  return statSync(file, { throwIfNoEntry: false })?.isFile() === true;
}

function readProjectAt(root: string): Project {
  return { root, assetsFile: readText(join(root, ASSETS_FILE)), lockFile: readText(join(root, LOCK_FILE)) };
}

function readText(file: string): string | null {
  try {
    return readNamed(file).toString('utf8');
  } catch (error) {
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  }
}

/**
 * Opens the folder of a project's assets. It is created if it is missing, or null. Throws `TreeError` for a link: a
 * repository could have one that leads anywhere.
 */
export function openAssetsFolder({ root, name }: AssetsFolder, options: { create: true }): GuardedFolder;
export function openAssetsFolder(
  { root, name }: AssetsFolder,
  options: { create: boolean },
): GuardedFolder | null;
export function openAssetsFolder({ root, name }: AssetsFolder, options: { create: boolean }) {
  try {
    return GuardedFolder.openBelow(root, name, options);
  } catch (error) {
    if (!(error instanceof ConflictError)) throw error;
    throw new TreeError(
      `${error.items.join()} is a link or a file, and assets are placed only in a real folder of the project; replace it by a ` +
        `folder, or choose another "folder" in ${ASSETS_FILE}.`,
    );
  }
}

const FORMAT = 'bindery-placed 1';
const KEPT_DAYS = 730;

/** A file below the folder of a project's assets. */
export interface PlacedFile {
  path: string;
  sha256: string;
  size: number;
}

/** What was laid out; stored outside the project. */
export interface PlacedFilesRecord {
  /** What it was laid out for: equal keys mean equal files. Null: a sync is in progress or was interrupted. */
  key: string | null;
  /** Files that syncs put in place, and those that one was about to; a path can then have several contents. */
  files: PlacedFile[];
}

/** Remembers what was laid out in one folder. Without it a sync treats all files there as the user's own. */
export class PlacedFilesStore {
  readonly #file: string;

  constructor(stateFolder: string, root: string) {
    this.#file = join(stateFolder, 'projects', `${hash('sha256', root).slice(0, 32)}.txt`);
  }

  read(): PlacedFilesRecord {
    const [key = '', ...lines] = readCached(this.#file, FORMAT)?.split('\n') ?? [];
    return { key: key === '' ? null : key, files: lines.filter(Boolean).map(placedFile) };
  }

  /** Ignores errors: a lost record at worst makes the next sync refuse to replace files unless forced. */
  write({ key, files }: PlacedFilesRecord): void {
    const lines = files.map(({ path, sha256, size }) => `${sha256}\t${size}\t${path}\n`);
    writeRecord(this.#file, FORMAT, `${key ?? ''}\n${lines.join('')}`, KEPT_DAYS);
  }
}

/** Paths of libraries contain no tabs. */
function placedFile(line: string): PlacedFile {
  const [sha256 = '', size = '', path = ''] = line.split('\t');
  return { path, sha256, size: Number(size) };
}
