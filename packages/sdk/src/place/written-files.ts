import type { ManifestFile } from '@bindery/contract';
import { type FileIdentity, identityOf, nowNs } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { HashCache } from '../tree/hash-cache.ts';

/** A file that a folder should contain. */
export interface TargetFile extends ManifestFile {
  /** Its path in the library, which can differ from the one in the folder. */
  remotePath: string;
}

export function totalOf(files: readonly TargetFile[]): { files: number; bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

/** The files that a pull has moved into place, by path. */
export type WrittenFiles = Map<string, WrittenFile>;

interface WrittenFile {
  sha256: string;
  identity: FileIdentity;
  /** Whether there was no file before. */
  isNew: boolean;
  /** Whether the identity is that of the file in its place, and not from before its rename. */
  isInPlace: boolean;
}

/** Records a file that was moved into place, and whether there was none before. */
export function recordWritten(
  written: WrittenFiles,
  file: TargetFile,
  identity: FileIdentity,
  missing: ReadonlySet<TargetFile>,
  { isInPlace = false } = {},
): void {
  const isNew = missing.has(file) || written.get(file.path)?.isNew === true;
  written.set(file.path, { sha256: file.sha256, identity, isNew, isInPlace });
}

/** Records the hashes of placed files that have not changed since, so that the next comparison reads nothing. */
export function recordHashes(cache: HashCache, folder: GuardedFolder, written: WrittenFiles): void {
  const lookedAt = nowNs();
  for (const [path, { sha256, identity, isInPlace }] of written) {
    // A file that has changed since has another identity than the recorded one.
    if (isInPlace) {
      cache.record(path, identity, sha256, lookedAt);
      continue;
    }
    const stats = folder.lstat(path);
    if (stats === null || !stats.isFile()) continue;
    const now = identityOf(stats);
    const untouched =
      now.inode === identity.inode && now.size === identity.size && now.mtimeNs === identity.mtimeNs;
    if (untouched) cache.record(path, now, sha256, lookedAt);
  }
}

/** Deletes files that this pull created for an earlier revision and that the present one does not need. */
export function removeOrphans(
  folder: GuardedFolder,
  written: WrittenFiles,
  wanted: ReadonlyMap<string, TargetFile>,
): void {
  for (const [path, { identity, isNew }] of written) {
    if (wanted.has(path) || !isNew) continue;
    const stats = folder.lstat(path);
    if (stats !== null && stats.ino === identity.inode && stats.mtimeNs === identity.mtimeNs)
      folder.remove(path);
    written.delete(path);
  }
}
