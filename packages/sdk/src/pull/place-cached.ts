import { linkSync } from 'node:fs';
import type { ObjectCache } from '../cache/object-cache.ts';
import { type FileIdentity, identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { NO_PROGRESS, type ProgressListener } from '../tree/progress.ts';
import { copyEntry, READ_WHOLE } from './copy-entry.ts';
import { type WriteParts, writeWhole } from './download.ts';
import { recordWritten, type WrittenFiles } from './fetch-files.ts';
import { PartialFiles } from './partial-files.ts';
import { placeNewFolders } from './place-folders.ts';
import type { TargetFile } from './select-files.ts';

/** Bytes that are copied before timers and signals run. Each file counts `PER_FILE` bytes in addition to its size. */
const BETWEEN_PAUSES = 16 * 1024 * 1024;
const PER_FILE = 256 * 1024;

export interface PlacingOptions {
  folder: GuardedFolder;
  /** Files that are not in the folder yet. */
  missing: ReadonlySet<TargetFile>;
  /** Make files hard links to the read-only cache entries, if the file system supports it. */
  link?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
  written: WrittenFiles;
}

interface PlacingParts extends WriteParts {
  cache: ObjectCache;
  link: boolean;
}

/** Places files from the cache. Returns those that are not in the cache, or no longer. */
export async function placeAllCached(
  files: readonly TargetFile[],
  cache: ObjectCache | null,
  { folder, missing, written, link = false, signal, progress = NO_PROGRESS }: PlacingOptions,
): Promise<TargetFile[]> {
  if (cache === null || files.length === 0) return [...files];
  const parts = { folder, partials: new PartialFiles(folder), cache, link };
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  const work = progress.start('Copying from the cache', { bytes, items: files.length, unit: 'files' });
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
  try {
    const absent: TargetFile[] = [];
    const single = link
      ? files
      : await placeNewFolders(files, absent, { ...parts, missing, written, afterEach });
    for (const file of single) {
      const identity = placeCached(file, parts);
      if (identity === null) absent.push(file);
      else recordWritten(written, file, identity, missing);
      await afterEach(file);
    }
    work.advance(since);
    work.finish();
    return absent;
  } finally {
    work.stop();
  }
}

/**
 * Places a file from the cache atomically: linked if requested, else with shared blocks, else copied. Returns its
 * identity; null if it is not in the cache, or no longer.
 */
function placeCached(file: TargetFile, parts: PlacingParts): FileIdentity | null {
  if (!parts.link && file.size <= READ_WHOLE) {
    const content = parts.cache.read(file);
    return content && writeWhole(file, content, parts);
  }
  const entry = parts.cache.find(file);
  return entry === null ? null : placeEntry(entry, file, parts);
}

function placeEntry(entry: string, file: TargetFile, parts: PlacingParts): FileIdentity | null {
  const { folder, partials } = parts;
  const name = partials.claim(file);
  try {
    folder.createSibling(file.path, name, (place) => (parts.link ? linkOrCopy : copyEntry)(entry, place));
    const stats = folder.lstatSibling(file.path, name);
    if (stats === null) return null;
    const identity = identityOf(stats);
    if (identity.size !== file.size) {
      folder.removeSibling(file.path, name);
      return null;
    }
    folder.putInPlace(file.path, name);
    // Renaming a hard link of a file to another one does nothing, and so leaves this one behind.
    if (parts.link) folder.removeSibling(file.path, name);
    return identity;
  } catch (error) {
    folder.removeSibling(file.path, name);
    if (isCode(error, 'ENOENT')) return null;
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
    if (!isCode(error, 'EXDEV', 'EPERM', 'EMLINK', 'ENOTSUP', 'ENOSYS')) throw error;
    copyEntry(entry, place);
  }
}

function isCode(error: unknown, ...codes: string[]): boolean {
  return error instanceof Error && 'code' in error && codes.includes(String(error.code));
}
