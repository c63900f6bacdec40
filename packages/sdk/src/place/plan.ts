import { RESERVED_FOLDER } from '@bindery/contract/wire';
import { pulledContentTest } from '../base/folder-record-file.ts';
import type { FolderRecord } from '../base/library-state.ts';
import type { ObjectCache } from '../cache/object-cache.ts';
import { filesOf } from '../library/manifest.ts';
import type { RemoteLibrary } from '../library/read-library.ts';
import { identityOf, identityText } from '../tree/file-identity.ts';
import type { GuardedFolder, ReplaceableFiles } from '../tree/guarded-folder.ts';
import type { HashCache } from '../tree/hash-cache.ts';
import { type LocalHashesOptions, localHashes } from '../tree/hashing.ts';
import type { ScannedFile } from '../tree/scan.ts';
import type { TargetFile, WrittenFiles } from './written-files.ts';

/** Where the content of a file in the folder came from, as far as this machine knows. */
export interface ContentOrigin {
  /** Whether a pull or push of this folder and this library left it there. Null: there is no record of them. */
  isInStep: ((path: string, sha256: string) => boolean) | null;
  /** Whether others have it: the library, or the cache. */
  isElsewhere(path: string, content: { sha256: string; size: number }): boolean;
}

/** Contents that can be found elsewhere, or that pulls left in the folder. */
interface KnownContents {
  record: FolderRecord;
  recorded: boolean;
  remote: RemoteLibrary;
  written: WrittenFiles;
  objects: ObjectCache | null;
}

export function originOfContents({
  record,
  recorded,
  remote,
  written,
  objects,
}: KnownContents): ContentOrigin {
  const wasPulled = pulledContentTest(record);
  const isOurs = (path: string, sha256: string) =>
    wasPulled(path, sha256) || written.get(path)?.sha256 === sha256;
  const files = [...filesOf(remote.manifest.assets).values(), ...remote.artifacts.values()];
  const inLibrary = new Set(files.map(({ sha256 }) => sha256));
  return {
    isInStep: recorded ? isOurs : null,
    isElsewhere: (path, content) =>
      inLibrary.has(content.sha256) ||
      isOurs(path, content.sha256) ||
      (objects !== null && objects.find(content) !== null),
  };
}

/** What a folder has in place of files that differ from the library. */
export interface LocalContents {
  /** Files that were edited here or, if there is no record, that nobody else is known to have. */
  own: Set<TargetFile>;
  /** Files whose content is elsewhere too. */
  replaceable: ReplaceableFiles;
}

/** Finds out which files are a person's own. Platform artifacts never are, since nobody edits them. */
export async function findOwnFiles(
  folder: GuardedFolder,
  different: readonly TargetFile[],
  cache: HashCache,
  { isInStep, isElsewhere }: ContentOrigin,
  options: LocalHashesOptions,
): Promise<LocalContents> {
  const own = new Set<TargetFile>();
  const replaceable = new Map<string, string>();
  const scanned = new Map(
    regularFiles(
      folder,
      different.map(({ path }) => path),
    ).map((file) => [file.path, file]),
  );
  const authored = [...scanned.values()].filter(({ path }) => !isArtifact(path));
  const hashes = await localHashes(folder.root, authored, cache, options);
  for (const file of different) {
    const { path } = file;
    const [here, sha256] = [scanned.get(path), hashes.get(path)];
    const known = here !== undefined && (sha256 === undefined || isElsewhere(path, { ...here, sha256 }));
    if (known) replaceable.set(path, identityText(here));
    const isOwn = sha256 === undefined || !(isInStep?.(path, sha256) ?? known);
    if (isOwn && !isArtifact(path)) own.add(file);
  }
  return { own, replaceable };
}

function isArtifact(path: string): boolean {
  return path.startsWith(RESERVED_FOLDER);
}

/** Returns those of the paths at which the folder has a regular file. */
function regularFiles(folder: GuardedFolder, paths: readonly string[]): ScannedFile[] {
  return paths.flatMap((path) => {
    const stats = folder.lstat(path);
    return stats?.isFile() ? [{ path, ...identityOf(stats) }] : [];
  });
}

/** Returns a test of whether a missing file was once in step with the library, and so was deleted here since. */
export function wasDeletedHere({ base, arriving = [] }: FolderRecord): (file: TargetFile) => boolean {
  const unfinished = new Set(arriving.map(([path]) => path));
  const paths = new Set(base.rootFiles.keys());
  for (const { files } of base.assets.values()) for (const path of files.keys()) paths.add(path);
  return ({ path }) => paths.has(path) && !unfinished.has(path);
}

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
