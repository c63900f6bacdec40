import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder, StagedFolder } from '../tree/guarded-folder.ts';
import { isRunning } from '../tree/running.ts';
import { copyEntry, READ_WHOLE } from './copy-entry.ts';
import { recordWritten, type Written } from './fetch-files.ts';
import type { WantedFile } from './wanted.ts';

/** What a pull that is stopped loses of a folder that it had begun, at most, in bytes. */
const MAX_FOLDER = 256 * 1024 * 1024;
const STAGED = /^\.bindery-[0-9a-f]{12}\.(\d+)\.folder$/;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export interface FolderParts {
  folder: GuardedFolder;
  cache: ObjectCache;
  /** Files of which nothing is there. */
  missing: ReadonlySet<WantedFile>;
  written: Written;
  /** Told of each file that was dealt with; answers what is to be waited for, if anything is. */
  afterEach(file: WantedFile): Promise<void> | null;
}

/**
 * Puts the files of folders that are missing in place from the cache, each folder in one step, which takes much less than
 * a step for each file. Files that the cache has not got are added to `absent`; answers those that are to be placed singly.
 */
export async function placeNewFolders(
  files: readonly WantedFile[],
  absent: WantedFile[],
  parts: FolderParts,
): Promise<WantedFile[]> {
  const single: WantedFile[] = [];
  const tidied = new Set<string>();
  const buffer = Buffer.allocUnsafeSlow(READ_WHOLE);
  const byFolder = [...Map.groupBy(files, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))];
  // A folder before those in it, which would bring it.
  for (const [path, group] of byFolder.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isPlaced =
      isNewFolder(path, group, parts) && (await placeFolder(path, group, absent, tidied, buffer, parts));
    if (!isPlaced) single.push(...group);
  }
  return single;
}

function isNewFolder(path: string, files: readonly WantedFile[], { folder, missing }: FolderParts): boolean {
  if (path === '' || files.length === 1 || !files.every((file) => missing.has(file))) return false;
  return files.reduce((sum, { size }) => sum + size, 0) <= MAX_FOLDER && folder.look(path) === null;
}

/** False where something has come to lie at the path meanwhile; nothing was placed then. */
async function placeFolder(
  path: string,
  files: readonly WantedFile[],
  absent: WantedFile[],
  tidied: Set<string>,
  buffer: Buffer,
  { folder, cache, missing, written, afterEach }: FolderParts,
): Promise<boolean> {
  let staged: StagedFolder | null = null;
  const stage = () => {
    if (staged === null) {
      removeLeft(path, folder, tidied);
      const name = `.bindery-${randomBytes(6).toString('hex')}.${process.pid}.folder`;
      staged = folder.stageFolder(path, name);
    }
    return staged;
  };
  try {
    const held: [WantedFile, FileIdentity][] = [];
    const lacking: WantedFile[] = [];
    for (const file of files) {
      const placeOf = () => stage().place() + file.path.slice(path.length + 1);
      const identity = stageFile(file, placeOf, cache, buffer);
      if (identity === null) lacking.push(file);
      else held.push([file, identity]);
      const pause = afterEach(file);
      if (pause !== null) await pause;
    }
    if (held.length > 0 && !stage().putInPlace()) return false;
    for (const [file, identity] of held) recordWritten(written, file, identity, missing, { isInPlace: true });
    absent.push(...lacking);
    return true;
  } finally {
    (staged as StagedFolder | null)?.close();
  }
}

/** Writes a file that is not there; null, and no folder is begun, where the cache has not got it. */
function stageFile(
  file: WantedFile,
  placeOf: () => string,
  cache: ObjectCache,
  buffer: Buffer,
): FileIdentity | null {
  if (file.size > READ_WHOLE) {
    const entry = cache.find(file);
    return entry === null ? null : stageEntry(entry, file, placeOf());
  }
  if (!cache.load(file, buffer)) return null;
  const descriptor = openSync(placeOf(), NEW_FILE, 0o666);
  try {
    for (let at = 0; at < file.size; ) at += writeSync(descriptor, buffer, at, file.size - at, at);
    return identityOf(fstatSync(descriptor, { bigint: true }));
  } finally {
    closeSync(descriptor);
  }
}

/** Null where the entry has vanished since, or was changed. */
function stageEntry(entry: string, file: WantedFile, place: string): FileIdentity | null {
  try {
    copyEntry(entry, place);
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null;
    throw error;
  }
  const identity = identityOf(lstatSync(place, { bigint: true }));
  if (identity.size === file.size) return identity;
  rmSync(place);
  return null;
}

/** Removes what dead processes had begun beside a folder. */
function removeLeft(path: string, folder: GuardedFolder, tidied: Set<string>): void {
  const above = path.slice(0, path.lastIndexOf('/') + 1);
  if (tidied.has(above)) return;
  tidied.add(above);
  for (const name of folder.namesBeside(path)) {
    const [, pid] = STAGED.exec(name) ?? [];
    if (pid !== undefined && !isRunning(Number(pid))) folder.removeStaged(path, name);
  }
}
