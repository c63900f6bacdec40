import type { ManifestFile } from '@bindery/contract';
import { ConflictError } from '../failures.ts';
import { identityOf } from './file-identity.ts';
import type { GuardedFolder } from './guarded-folder.ts';
import type { HashCache } from './hash-cache.ts';
import { type LocalHashesOptions, localHashes } from './hashing.ts';
import { folderOf } from './open-folders.ts';
import type { ScannedFile } from './scan.ts';

/** How a folder differs from what it should contain. */
export interface Comparison<F extends ManifestFile> {
  /** Files that exist with the same content. */
  same: F[];
  /** Files that exist with other content. */
  different: F[];
  missing: F[];
  /** Why a file cannot be written: a link or a file where a folder should be, or a folder where a file should be. */
  obstacles: ConflictError[];
}

/** Compares files by path, size and SHA-256 with a folder, which might not exist. Nothing else in it is read. */
export async function compareWithFolder<F extends ManifestFile>(
  folder: GuardedFolder | null,
  wanted: Iterable<F>,
  cache: HashCache | null,
  options: LocalHashesOptions = {},
): Promise<Comparison<F>> {
  const comparison: Comparison<F> = { same: [], different: [], missing: [], obstacles: [] };
  const sameSize: { file: F; scanned: ScannedFile }[] = [];
  let missingFolder: string | null = null;
  let lastFolder: string | null = null;
  for (const file of wanted) {
    const inMissing: boolean = missingFolder !== null && file.path.startsWith(missingFolder);
    const found = inMissing ? null : lookFor(folder, file.path);
    if (found === null) {
      comparison.missing.push(file);
      const own = folderOf(file.path);
      if (!inMissing && own !== lastFolder) missingFolder = missingFolderOf(folder, file.path);
      lastFolder = own;
    } else if (found instanceof ConflictError) {
      comparison.missing.push(file);
      comparison.obstacles.push(found);
    } else if (found.size === file.size) sameSize.push({ file, scanned: found });
    else comparison.different.push(file);
  }
  if (folder === null || cache === null) return comparison;
  const hashes = await localHashes(
    folder.root,
    sameSize.map(({ scanned }) => scanned),
    cache,
    options,
  );
  for (const { file } of sameSize) {
    comparison[hashes.get(file.path) === file.sha256 ? 'same' : 'different'].push(file);
  }
  return comparison;
}

/** Returns the outermost missing folder of a path, with a closing slash: nothing in it has to be looked up. */
function missingFolderOf(folder: GuardedFolder | null, path: string): string | null {
  for (let at = path.indexOf('/'); at >= 0; at = path.indexOf('/', at + 1)) {
    if (folder === null || lookFor(folder, path.slice(0, at)) === null) return path.slice(0, at + 1);
  }
  return null;
}

/** Returns the file at the path. A link gets size -1, so that it counts as different and a pull replaces it. */
function lookFor(folder: GuardedFolder | null, path: string): ScannedFile | ConflictError | null {
  try {
    const stats = folder?.lstat(path) ?? null;
    if (stats === null) return null;
    if (stats.isDirectory()) {
      return new ConflictError(`${path} is a folder here and a file in the library; move it away.`, [path]);
    }
    return { path, ...identityOf(stats), ...(stats.isFile() ? {} : { size: -1 }) };
  } catch (error) {
    if (error instanceof ConflictError) return error;
    throw error;
  }
}

/** Returns those of the paths at which the folder has a regular file, not reached through a link. */
export function regularFiles(folder: GuardedFolder, paths: readonly string[]): ScannedFile[] {
  return paths.flatMap((path) => {
    const found = lookFor(folder, path);
    return found === null || found instanceof ConflictError || found.size < 0 ? [] : [found];
  });
}
