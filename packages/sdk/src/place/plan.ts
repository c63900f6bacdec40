import { RESERVED_FOLDER } from '@bindery/contract/wire';
import { compareWithFolder, regularFiles } from '../tree/compare.ts';
import { identityOf, identityText } from '../tree/file-identity.ts';
import type { GuardedFolder, ReplaceableFiles } from '../tree/guarded-folder.ts';
import type { HashCache } from '../tree/hash-cache.ts';
import { type LocalHashesOptions, localHashes } from '../tree/hashing.ts';
import type { TargetFile } from './written-files.ts';

/** Where the content of a file in the folder came from, as far as this machine knows. */
export interface ContentOrigin {
  /** Whether a pull, push or sync of this folder left it there. Null: there is no record of them. */
  isInStep: ((path: string, sha256: string) => boolean) | null;
  /** Whether others have it: the library, or the cache. */
  isElsewhere(path: string, content: { sha256: string; size: number }): boolean;
}

/** How a folder differs from what it should contain, and what of that is a person's own. */
export interface FolderPlan {
  same: TargetFile[];
  different: TargetFile[];
  missing: TargetFile[];
  /**
   * Those of the different files that were edited here or, if there is no record, that nobody else is known to have,
   * with the SHA-256 of what is here; null for a link.
   */
  own: ReadonlyMap<TargetFile, string | null>;
  /** Those whose content is elsewhere too. */
  replaceable: ReplaceableFiles;
}

/** Compares a folder with what it should contain. Throws `ConflictError` for what no file can replace. */
export async function planFolder(
  folder: GuardedFolder,
  wanted: Iterable<TargetFile>,
  hashes: HashCache,
  origin: ContentOrigin,
  options: LocalHashesOptions,
): Promise<FolderPlan> {
  const { same, different, missing, obstacles } = await compareWithFolder(folder, wanted, hashes, options);
  if (obstacles[0] !== undefined) throw obstacles[0];
  return { same, different, missing, ...(await findOwnFiles(folder, different, hashes, origin, options)) };
}

/** Platform artifacts are never a person's own, since nobody edits them. */
async function findOwnFiles(
  folder: GuardedFolder,
  different: readonly TargetFile[],
  cache: HashCache,
  { isInStep, isElsewhere }: ContentOrigin,
  options: LocalHashesOptions,
): Promise<Pick<FolderPlan, 'own' | 'replaceable'>> {
  const own = new Map<TargetFile, string | null>();
  const replaceable = new Map<string, string>();
  const present = regularFiles(
    folder,
    different.map(({ path }) => path),
  );
  const scanned = new Map(present.map((file) => [file.path, file]));
  const authored = present.filter(({ path }) => !isArtifact(path));
  const hashes = await localHashes(folder.root, authored, cache, options);
  for (const file of different) {
    const { path } = file;
    const [here, sha256] = [scanned.get(path), hashes.get(path)];
    const known = here !== undefined && (sha256 === undefined || isElsewhere(path, { ...here, sha256 }));
    if (known) replaceable.set(path, identityText(here));
    const isOwn = sha256 === undefined || !(isInStep?.(path, sha256) ?? known);
    if (isOwn && !isArtifact(path)) own.set(file, sha256 ?? null);
  }
  return { own, replaceable };
}

function isArtifact(path: string): boolean {
  return path.startsWith(RESERVED_FOLDER);
}

/**
 * Deletes files that are no longer `wanted`, and the folders that are empty then. Files that were edited here stay
 * (`left`), and so does a file whose name a file system might take for that of a wanted one.
 */
export async function removeUnedited(
  folder: GuardedFolder,
  paths: readonly string[],
  wanted: Iterable<string>,
  cache: HashCache,
  { isInStep }: Pick<ContentOrigin, 'isInStep'>,
  options: LocalHashesOptions,
): Promise<{ removed: string[]; left: string[] }> {
  const names = new Set([...wanted].map(foldedName));
  const found = regularFiles(folder, paths).filter(({ path }) => !names.has(foldedName(path)));
  const hashes = await localHashes(folder.root, found, cache, options);
  const [removed, left]: [string[], string[]] = [[], []];
  for (const file of found) {
    const { path } = file;
    const stats = folder.lstat(path);
    const isUntouched = stats !== null && identityText(identityOf(stats)) === identityText(file);
    if (isUntouched && isInStep?.(path, hashes.get(path) ?? '')) {
      folder.remove(path);
      folder.removeEmptyFoldersAbove(path);
      removed.push(path);
    } else left.push(path);
  }
  return { removed, left };
}

function foldedName(path: string): string {
  return path.normalize('NFC').toUpperCase().toLowerCase();
}
