import { randomBytes } from 'node:crypto';
import { closeSync, constants, fstatSync, lstatSync, openSync, rmSync, writeSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder, StagedFolder } from '../tree/guarded-folder.ts';
import { hasEnded, OWNER, OWNER_PATTERN } from '../tree/process-owner.ts';
import { copyEntry, READ_WHOLE } from './copy-entry.ts';
import { recordWritten, type WrittenFiles } from './fetch-files.ts';
import type { TargetFile } from './select-files.ts';

/** Maximum bytes of a folder that is placed as a whole. An interrupted pull loses at most that much. */
const MAX_FOLDER = 256 * 1024 * 1024;
const STAGED = new RegExp(`^\\.bindery-[0-9a-f]{12}\\.(${OWNER_PATTERN}|\\d+)\\.folder$`);
/** Milliseconds after which an unfinished folder is deleted even if it is unknown whether its process has ended. */
const STALE_AFTER = 86_400_000;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

export interface FolderParts {
  folder: GuardedFolder;
  cache: ObjectCache;
  /** Files that are not in the folder yet. */
  missing: ReadonlySet<TargetFile>;
  written: WrittenFiles;
  /** Called after each file that was handled. Returns a promise to wait for, or null. */
  afterEach(file: TargetFile): Promise<void> | null;
}

/**
 * Places the files of missing folders from the cache, each folder atomically, which is much faster than file by file.
 * Files that are not in the cache are added to `absent`. Returns the files that have to be placed one by one.
 */
export async function placeNewFolders(
  files: readonly TargetFile[],
  absent: TargetFile[],
  parts: FolderParts,
): Promise<TargetFile[]> {
  const single: TargetFile[] = [];
  const tidied = new Set<string>();
  const buffer = Buffer.allocUnsafeSlow(READ_WHOLE);
  const byFolder = [...Map.groupBy(files, ({ path }) => path.slice(0, Math.max(0, path.lastIndexOf('/'))))];
  // Sorted so that a folder comes before those in it, which would create it.
  for (const [path, group] of byFolder.sort(([a], [b]) => (a < b ? -1 : 1))) {
    const isPlaced =
      isNewFolder(path, group, parts) && (await placeFolder(path, group, absent, tidied, buffer, parts));
    if (!isPlaced) single.push(...group);
  }
  return single;
}

function isNewFolder(path: string, files: readonly TargetFile[], { folder, missing }: FolderParts): boolean {
  if (path === '' || files.length === 1 || !files.every((file) => missing.has(file))) return false;
  return files.reduce((sum, { size }) => sum + size, 0) <= MAX_FOLDER && folder.lstat(path) === null;
}

/** Returns false if something has appeared at the path in the meantime; nothing was placed then. */
async function placeFolder(
  path: string,
  files: readonly TargetFile[],
  absent: TargetFile[],
  tidied: Set<string>,
  buffer: Buffer,
  { folder, cache, missing, written, afterEach }: FolderParts,
): Promise<boolean> {
  let staged: StagedFolder | null = null;
  const stage = () => {
    if (staged === null) {
      removeStaleFolders(path, folder, tidied);
      const name = `.bindery-${randomBytes(6).toString('hex')}.${OWNER}.folder`;
      staged = folder.stageFolder(path, name);
    }
    return staged;
  };
  try {
    const held: [TargetFile, FileIdentity][] = [];
    const lacking: TargetFile[] = [];
    for (const file of files) {
      const placeOf = () => stage().pathPrefix() + file.path.slice(path.length + 1);
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

/** Writes a new file; null, without creating the folder, if it is not in the cache. */
function stageFile(
  file: TargetFile,
  placeOf: () => string,
  cache: ObjectCache,
  buffer: Buffer,
): FileIdentity | null {
  if (file.size > READ_WHOLE) {
    const entry = cache.find(file);
    return entry === null ? null : stageEntry(entry, file, placeOf());
  }
  if (!cache.readInto(file, buffer)) return null;
  const descriptor = openSync(placeOf(), NEW_FILE, 0o666);
  try {
    for (let at = 0; at < file.size; ) at += writeSync(descriptor, buffer, at, file.size - at, at);
    return identityOf(fstatSync(descriptor, { bigint: true }));
  } finally {
    closeSync(descriptor);
  }
}

/** Returns null if the entry has vanished or changed since. */
function stageEntry(entry: string, file: TargetFile, place: string): FileIdentity | null {
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

/** Deletes folders that ended processes left unfinished next to this one. */
function removeStaleFolders(path: string, folder: GuardedFolder, tidied: Set<string>): void {
  const above = path.slice(0, path.lastIndexOf('/') + 1);
  if (tidied.has(above)) return;
  tidied.add(above);
  for (const name of folder.siblingNames(path)) {
    const [, owner] = STAGED.exec(name) ?? [];
    if (owner === undefined || owner === OWNER) continue;
    const changedAt = Number(folder.lstat(above + name)?.mtimeMs ?? Date.now());
    if (hasEnded(owner) || Date.now() - changedAt > STALE_AFTER) folder.removeFolder(above + name);
  }
}
