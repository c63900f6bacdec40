import { identityOf, identityText } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import type { HashCache } from '../tree/hash-cache.ts';
import { type LocalHashesOptions, localHashes } from '../tree/hashing.ts';
import { type ContentOrigin, regularFiles } from './edited-files.ts';

/**
 * Deletes files that the library no longer has, and the folders that are empty then. Files that were edited here stay,
 * and so does a file whose name a file system might take for that of a wanted one. Returns the paths of deleted files.
 */
export async function pruneFiles(
  folder: GuardedFolder,
  paths: readonly string[],
  wanted: Iterable<string>,
  cache: HashCache,
  { isInStep }: Pick<ContentOrigin, 'isInStep'>,
  options: LocalHashesOptions,
): Promise<string[]> {
  const names = new Set([...wanted].map(foldedName));
  const found = regularFiles(folder, paths).filter(({ path }) => !names.has(foldedName(path)));
  const hashes = await localHashes(folder.root, found, cache, options);
  const pruned: string[] = [];
  for (const file of found) {
    const stats = folder.lstat(file.path);
    const isUntouched = stats !== null && identityText(identityOf(stats)) === identityText(file);
    if (!isUntouched || !isInStep?.(file.path, hashes.get(file.path) ?? '')) continue;
    folder.remove(file.path);
    folder.removeEmptyFoldersAbove(file.path);
    pruned.push(file.path);
  }
  return pruned;
}

function foldedName(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase();
}
