import type { ManifestFile } from '@bindery/contract';
import { type FileIdentity, identityOf, nowNs } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { HashCache } from '../tree/hash-cache.ts';

/** A file that a folder should contain. */
export interface TargetFile extends ManifestFile {
  /** Its path in the library, which can differ from the one in the folder. */
  remotePath: string;
}

export function totalOf(files: readonly { size: number }[]): { files: number; bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}

interface WrittenFile {
  sha256: string;
  identity: FileIdentity;
  /** Whether there was no file before. */
  isNew: boolean;
  /** Whether the identity is that of the file in its place, and not from before its rename. */
  isInPlace: boolean;
}

/** The files that were moved into a folder, by path; also by earlier attempts, for revisions that were replaced since. */
export class WrittenFiles extends Map<string, WrittenFile> {
  /** Whether the content of a file was moved to its path. */
  holds({ path, sha256 }: Pick<TargetFile, 'path' | 'sha256'>): boolean {
    return this.get(path)?.sha256 === sha256;
  }

  /** Records the hashes of files that have not changed since, so that the next comparison reads nothing. */
  recordHashes(cache: HashCache, folder: GuardedFolder): void {
    const lookedAt = nowNs();
    for (const [path, { sha256, identity, isInPlace }] of this) {
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

  /** Deletes files that were created for an earlier revision and that the present one does not need. */
  removeOrphans(folder: GuardedFolder, wanted: ReadonlyMap<string, unknown>): void {
    for (const [path, { identity, isNew }] of this) {
      if (wanted.has(path) || !isNew) continue;
      const stats = folder.lstat(path);
      if (stats !== null && stats.ino === identity.inode && stats.mtimeNs === identity.mtimeNs)
        folder.remove(path);
      this.delete(path);
    }
  }
}
