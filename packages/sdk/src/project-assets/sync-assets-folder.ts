import type { CachedObject, ObjectCache } from '../cache/object-cache.ts';
import { ConflictError, sentenceWithPaths } from '../failures.ts';
import { findOwnFiles } from '../place/plan.ts';
import { type FilesSetAside, removeExpired, SettingAside } from '../place/set-aside.ts';
import { recordHashes, type TargetFile, type WrittenFiles } from '../place/written-files.ts';
import { refuseCollisions } from '../tree/collisions.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { identityOf } from '../tree/file-identity.ts';
import type { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import { type LocalHashesOptions, localHashes } from '../tree/hashing.ts';
import type { ScannedFile } from '../tree/scan.ts';
import type { Lock } from './lock.ts';
import { type ObtainLockedFilesParts, obtainLockedFiles } from './obtain-locked-files.ts';
import type { PlacedFile, PlacedFilesRecord, PlacedFilesStore } from './placed-files-store.ts';
import { type AssetsFolder, openAssetsFolder } from './project.ts';

/** What was done to the folder of a project's assets. */
export interface FolderSyncResult {
  fetched: { files: number; bytes: number };
  cached: { files: number; bytes: number };
  unchanged: { files: number; bytes: number };
  /** Files that were edited here and replaced because of `force`. */
  replaced: string[];
  /** Files that were created or edited while the sync ran and had to be moved away; null if there are none. */
  setAside: FilesSetAside | null;
  /** Files that no longer belong to the project and were removed. */
  removed: string[];
  /** Files that no longer belong to the project but were edited here, so they stay. */
  left: string[];
}

export interface FolderSyncOptions
  extends Omit<ObtainLockedFilesParts, 'folder' | 'missing' | 'written'>,
    LocalHashesOptions {
  placedFiles: PlacedFilesStore;
  /** Replace files that were edited here. */
  force?: boolean | undefined;
}

/**
 * Makes a folder hold the files of a lock. Replaces or removes only files that syncs put there and that nobody has
 * edited since. Throws `ConflictError`, before anything is written, if files were edited here, unless `force` is set.
 */
export async function syncAssetsFolder(
  target: AssetsFolder,
  lock: Lock,
  files: ReadonlyMap<string, readonly TargetFile[]>,
  options: FolderSyncOptions,
): Promise<FolderSyncResult> {
  const folder = openAssetsFolder(target, { create: true });
  const hashes = new HashCache(folder.root, options.cacheFolder);
  const { placedFiles } = options;
  try {
    const wanted = [...files.values()].flat();
    const { same, different, missing, obstacles } = await compareWithFolder(folder, wanted, hashes, options);
    if (obstacles[0] !== undefined) throw obstacles[0];
    const placed = placedFiles.read();
    const origin = originOfContents(placed, wanted, options.objects);
    const { own, replaceable } = await findOwnFiles(folder, different, hashes, origin, options);
    const edited = [...own].map(({ path }) => path);
    if (edited.length > 0 && !options.force) throw editedFilesError(edited);
    const setting = new SettingAside(folder, origin);
    if (!options.force) folder.replaceOnly(replaceable, (path) => setting.setAside(path));
    const toObtain = new Set([...different, ...missing]);
    if (toObtain.size > 0)
      refuseCollisions(
        wanted.map(({ path }) => path),
        folder.root,
      );
    placedFiles.write({ key: null, files: [...placed.files, ...toObtain] });
    const written: WrittenFiles = new Map();
    const transferred: TargetFile[] = [];
    try {
      const parts = { ...options, folder, written, missing: new Set(missing) };
      for (const [library, ofLibrary] of files) {
        const locked = lock.libraries[library];
        const lacking = ofLibrary.filter((file) => toObtain.has(file));
        if (locked === undefined || lacking.length === 0) continue;
        transferred.push(...(await obtainLockedFiles(library, locked, lacking, parts)));
      }
    } finally {
      recordHashes(hashes, folder, written);
    }
    removeExpired(folder);
    const { removed, left } = await removeStale(folder, wanted, placed, hashes, options);
    const fetched = new Set(transferred);
    return {
      fetched: total(transferred),
      cached: total([...toObtain].filter((file) => !fetched.has(file))),
      unchanged: total(same),
      replaced: edited,
      setAside: setting.finish(),
      removed,
      left,
    };
  } finally {
    hashes.save();
    folder.close();
  }
}

/** Whether a folder holds these files; those that have not changed since they were last hashed are not read again. */
export async function isFolderInSync(
  target: AssetsFolder,
  files: readonly PlacedFile[],
  { cacheFolder, ...options }: LocalHashesOptions & { cacheFolder: string },
): Promise<boolean> {
  const folder = openAssetsFolder(target, { create: false });
  if (folder === null) return files.length === 0;
  const hashes = new HashCache(folder.root, cacheFolder);
  try {
    const { different, missing } = await compareWithFolder(folder, files, hashes, options);
    return different.length === 0 && missing.length === 0;
  } finally {
    hashes.save();
    folder.close();
  }
}

function originOfContents(
  placed: PlacedFilesRecord,
  wanted: readonly TargetFile[],
  objects: ObjectCache | null,
) {
  const known = new Set([...placed.files, ...wanted].map(({ path, sha256 }) => `${sha256} ${path}`));
  const isInStep = (path: string, sha256: string) => known.has(`${sha256} ${path}`);
  return {
    isInStep,
    isElsewhere: (path: string, content: CachedObject) =>
      isInStep(path, content.sha256) || (objects !== null && objects.find(content) !== null),
  };
}

async function removeStale(
  folder: GuardedFolder,
  wanted: readonly TargetFile[],
  placed: PlacedFilesRecord,
  hashes: HashCache,
  options: LocalHashesOptions,
): Promise<{ removed: string[]; left: string[] }> {
  const stays = new Set(wanted.map(({ path }) => path));
  const stale = placed.files.filter(({ path }) => !stays.has(path));
  const paths = [...new Set(stale.map(({ path }) => path))];
  const present = regularFiles(folder, paths);
  const held = await localHashes(folder.root, present, hashes, options);
  const own = new Set(stale.map(({ path, sha256 }) => `${sha256} ${path}`));
  const [removed, left]: [string[], string[]] = [[], []];
  for (const { path } of present) {
    if (own.has(`${held.get(path)} ${path}`)) {
      folder.remove(path);
      removed.push(path);
    } else left.push(path);
  }
  for (const path of removed) folder.removeEmptyFoldersAbove(path);
  return { removed, left };
}

function regularFiles(folder: GuardedFolder, paths: readonly string[]): ScannedFile[] {
  return paths.flatMap((path) => {
    const stats = lookFor(folder, path);
    return stats?.isFile() ? [{ path, ...identityOf(stats) }] : [];
  });
}

function lookFor(folder: GuardedFolder, path: string) {
  try {
    return folder.lstat(path);
  } catch (error) {
    // A link is part of the path: what it leads to does not belong to the project.
    if (error instanceof ConflictError) return null;
    throw error;
  }
}

function editedFilesError(paths: readonly string[]): ConflictError {
  return new ConflictError(
    sentenceWithPaths(
      'these files were edited here, and nothing was written; move them away, or replace them with --force:',
      paths,
    ),
    paths,
  );
}

function total(files: readonly { size: number }[]): { files: number; bytes: number } {
  return { files: files.length, bytes: files.reduce((sum, { size }) => sum + size, 0) };
}
