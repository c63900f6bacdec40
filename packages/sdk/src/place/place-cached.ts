import { randomBytes } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  linkSync,
  lstatSync,
  openSync,
  rmSync,
} from 'node:fs';
import { DAY } from '@bindery/contract/limits';
import type { ObjectCache } from '../cache/object-cache.ts';
import { isSystemError } from '../failures.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import { writeFully } from '../tree/files.ts';
import type { GuardedFolder, StagedFolder } from '../tree/guarded-folder.ts';
import { hasEnded, OWNER, OWNER_PATTERN } from '../tree/process-owner.ts';
import { fileTotal, type ProgressListener, withProgress } from '../tree/progress.ts';
import { type Placer, writeWhole } from './placer.ts';
import { type TargetFile, totalOf } from './written-files.ts';

/** Bytes that are copied before timers and signals run. Each file counts `PER_FILE` bytes in addition to its size. */
const BETWEEN_PAUSES = 16 * 1024 * 1024;
const PER_FILE = 256 * 1024;

export interface PlaceCachedOptions {
  /** Make files hard links to the read-only cache entries, if the file system supports it. */
  link?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/** Places files from the cache. Returns those that are not in the cache, or no longer. */
export async function placeAllCached(
  files: readonly TargetFile[],
  cache: ObjectCache,
  placer: Placer,
  { link = false, signal, progress }: PlaceCachedOptions = {},
): Promise<TargetFile[]> {
  if (files.length === 0) return [];
  return withProgress(progress, 'Copying from the cache', fileTotal(files), async (work) => {
    let since = { bytes: 0, items: 0 };
    const pause = async () => {
      work.advance(since);
      since = { bytes: 0, items: 0 };
      await new Promise(setImmediate);
      signal?.throwIfAborted();
    };
    const afterEach = ({ size }: TargetFile) => {
      since.bytes += size;
      since.items++;
      return since.bytes + since.items * PER_FILE < BETWEEN_PAUSES ? null : pause();
    };
    const absent: TargetFile[] = [];
    const single = link ? files : await placeNewFolders(files, absent, { placer, cache, afterEach });
    for (const file of single) {
      const identity = placeCached(file, cache, placer, link);
      if (identity === null) absent.push(file);
      else placer.record(file, identity);
      await afterEach(file);
    }
    work.advance(since);
    return absent;
  });
}

/**
 * Places a file from the cache atomically: linked if requested, else with shared blocks, else copied. Returns its
 * identity; null if it is not in the cache, or no longer.
 */
function placeCached(
  file: TargetFile,
  cache: ObjectCache,
  { folder, partials }: Placer,
  link: boolean,
): FileIdentity | null {
  if (!link && file.size <= READ_WHOLE) {
    const content = cache.read(file);
    return content && writeWhole(file, content, folder, partials);
  }
  const entry = cache.find(file);
  if (entry === null) return null;
  const name = partials.claim(file);
  try {
    folder.createSibling(file.path, name, (place) => (link ? linkOrCopy : copyEntry)(entry, place));
    const stats = folder.lstatSibling(file.path, name);
    if (stats === null) return null;
    const identity = identityOf(stats);
    if (identity.size !== file.size) {
      folder.removeSibling(file.path, name);
      return null;
    }
    folder.putInPlace(file.path, name);
    // Renaming a hard link of a file to another one does nothing, and so leaves this one behind.
    if (link) folder.removeSibling(file.path, name);
    return identity;
  } catch (error) {
    folder.removeSibling(file.path, name);
    if (isSystemError(error, 'ENOENT')) return null;
    throw error;
  } finally {
    partials.release(name);
  }
}

function linkOrCopy(entry: string, place: string): void {
  try {
    linkSync(entry, place);
  } catch (error) {
    // Another file system, one without links, or too many links to the file.
    if (!isSystemError(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS')) throw error;
    copyEntry(entry, place);
  }
}

/** Maximum bytes of a folder that is placed as a whole. An interrupted pull loses at most that much. */
const MAX_FOLDER = 256 * 1024 * 1024;
const STAGED = new RegExp(`^\\.bindery-[0-9a-f]{12}\\.(${OWNER_PATTERN}|\\d+)\\.folder$`);
/** Milliseconds after which an unfinished folder is deleted even if it is unknown whether its process has ended. */
const STALE_AFTER = DAY;
const NEW_FILE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | (constants.O_NOFOLLOW ?? 0);

interface FolderParts {
  placer: Placer;
  cache: ObjectCache;
  /** Called after each file that was handled. Returns a promise to wait for, or null. */
  afterEach(file: TargetFile): Promise<void> | null;
}

/**
 * Places the files of missing folders from the cache, each folder atomically, which is much faster than file by file.
 * Files that are not in the cache are added to `absent`. Returns the files that have to be placed one by one.
 */
async function placeNewFolders(
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

function isNewFolder(path: string, files: readonly TargetFile[], { placer }: FolderParts): boolean {
  if (path === '' || files.length === 1 || !files.every((file) => placer.isMissing(file))) return false;
  return totalOf(files).bytes <= MAX_FOLDER && placer.folder.lstat(path) === null;
}

/** Returns false if something has appeared at the path in the meantime; nothing was placed then. */
async function placeFolder(
  path: string,
  files: readonly TargetFile[],
  absent: TargetFile[],
  tidied: Set<string>,
  buffer: Buffer,
  { placer, cache, afterEach }: FolderParts,
): Promise<boolean> {
  const { folder } = placer;
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
    for (const [file, identity] of held) placer.record(file, identity, { isInPlace: true });
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
    writeFully(descriptor, buffer.subarray(0, file.size), 0);
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
    if (isSystemError(error, 'ENOENT')) return null;
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

/** Entries up to this size are read and written, which is faster than having the system copy them. */
const READ_WHOLE = 64 * 1024;
const FILE_MODE = 0o666 & ~process.umask();

/** Copies a cache entry to a writable file, sharing its blocks if the file system can. */
function copyEntry(entry: string, place: string): void {
  copyFileSync(entry, place, constants.COPYFILE_FICLONE | constants.COPYFILE_EXCL);
  chmodSync(place, FILE_MODE);
}
