import { RESERVED_FOLDER } from '@bindery/contract/wire';
import type { FolderRecord } from '../base/folder-record.ts';
import { pulledContentTest } from '../base/folder-record-file.ts';
import { identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { HashCache } from '../tree/hash-cache.ts';
import { type LocalHashesOptions, localHashes } from '../tree/local-hashes.ts';
import type { ScannedFile } from '../tree/scan.ts';
import type { WrittenFiles } from './fetch-files.ts';
import type { TargetFile } from './select-files.ts';

/**
 * Returns the files whose content no pull or push of this folder and this library has left there. Platform artifacts
 * are never among them, since nobody edits them.
 */
export async function editedFiles(
  folder: GuardedFolder,
  different: readonly TargetFile[],
  { remembered, written, cache }: { remembered: FolderRecord; written: WrittenFiles; cache: HashCache },
  options: LocalHashesOptions,
): Promise<Set<TargetFile>> {
  const isKnown = pulledContentTest(remembered);
  const authored = different.filter(({ path }) => !path.startsWith(RESERVED_FOLDER));
  const hashes = await localHashes(folder.root, regularFiles(folder, authored), cache, options);
  return new Set(
    authored.filter(({ path }) => {
      const held = hashes.get(path);
      return held === undefined || !(isKnown(path, held) || written.get(path)?.sha256 === held);
    }),
  );
}

function regularFiles(folder: GuardedFolder, files: readonly TargetFile[]): ScannedFile[] {
  return files.flatMap(({ path }) => {
    const stats = folder.lstat(path);
    return stats?.isFile() ? [{ path, ...identityOf(stats) }] : [];
  });
}
