import type { ManifestFile } from '@bindery/contract';
import type { CachedObject, ObjectCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import { ConflictError, ProjectFileError, sentenceWithPaths } from '../failures.ts';
import { filesOf, findAsset } from '../library/manifest.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { FetchOptions } from '../obtain/fetch-files.ts';
import { mirrorSource, obtainFiles } from '../obtain/obtain.ts';
import { planFolder, removeUnedited } from '../place/plan.ts';
import { type FilesSetAside, removeExpired, SettingAside } from '../place/set-aside.ts';
import type { TargetFile } from '../place/written-files.ts';
import { totalOf, WrittenFiles } from '../place/written-files.ts';
import { refuseCollisions } from '../tree/collisions.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { HashCache } from '../tree/hash-cache.ts';
import type { LocalHashesOptions } from '../tree/hashing.ts';
import { trustedPaths } from '../tree/names.ts';
import { LOCK_FILE, type Lock } from './lock.ts';
import { isAsLocked } from './locked-revision.ts';
import { lockedSource } from './locked-source.ts';
import {
  type AssetsFolder,
  openAssetsFolder,
  type PlacedFile,
  type PlacedFilesRecord,
  type PlacedFilesStore,
} from './project.ts';
import type { LibraryRevision } from './resolve-uses.ts';

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

export interface FolderSyncOptions extends FetchOptions, LocalHashesOptions {
  cacheFolder: string;
  /** Null: there is no cache. */
  objects: ObjectCache | null;
  placedFiles: PlacedFilesStore;
  mirror?: Mirror | undefined;
  /** Make the files hard links to those of the cache. */
  link?: boolean | undefined;
  /** Replace files that were edited here. */
  force?: boolean | undefined;
  clientFor(server: string | null): Promise<Client>;
}

/**
 * Makes a folder hold the files of a lock. Replaces or removes only files that syncs put there and that nobody has
 * edited since. Throws `ConflictError`, before anything is written, if files were edited here, unless `force` is set.
 */
export async function syncFolder(
  target: AssetsFolder,
  lock: Lock,
  files: ReadonlyMap<string, readonly TargetFile[]>,
  options: FolderSyncOptions,
): Promise<FolderSyncResult> {
  const { placedFiles, mirror, objects: cache } = options;
  const folder = openAssetsFolder(target, { create: true });
  const hashes = new HashCache(folder.root, options.cacheFolder);
  try {
    const wanted = [...files.values()].flat();
    const paths = wanted.map(({ path }) => path);
    const placed = placedFiles.read();
    const origin = originOfContents(placed, wanted, cache);
    const plan = await planFolder(folder, wanted, hashes, origin, options);
    const edited = [...plan.own.keys()].map(({ path }) => path);
    if (edited.length > 0 && !options.force) throw editedFilesError(edited);
    const setting = new SettingAside(folder, origin);
    if (!options.force) setting.guard(plan.replaceable);
    const toObtain = new Set([...plan.different, ...plan.missing]);
    if (toObtain.size > 0) refuseCollisions(paths, folder.root);
    placedFiles.write({ key: null, files: [...placed.files, ...toObtain] });
    const written = new WrittenFiles();
    const transferred = new Set<TargetFile>();
    try {
      for (const [library, ofLibrary] of files) {
        const locked = lock.libraries[library];
        const lacking = ofLibrary.filter((file) => toObtain.has(file));
        if (locked === undefined || lacking.length === 0) continue;
        const source = mirror ? mirrorSource(mirror, options) : lockedSource(library, locked, options);
        const obtaining = { ...options, folder, cache, written, missing: plan.missing };
        for (const file of await obtainFiles(lacking, source, obtaining)) transferred.add(file);
      }
    } finally {
      written.recordHashes(hashes, folder);
    }
    removeExpired(folder);
    const stale = new Set(placed.files.map(({ path }) => path)).difference(new Set(paths));
    const { removed, left } = await removeUnedited(folder, [...stale], paths, hashes, origin, options);
    return {
      fetched: totalOf([...transferred]),
      cached: totalOf([...toObtain].filter((file) => !transferred.has(file))),
      unchanged: totalOf(plan.same),
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

function editedFilesError(paths: readonly string[]): ConflictError {
  return new ConflictError(
    sentenceWithPaths('These files were edited here, and nothing was written:', paths),
    paths,
    { code: 'edited_files' },
  );
}

/**
 * Returns the files of a lock by library, at their paths below the folder of the project's assets. Throws
 * `ProjectFileError` if the lock contradicts a manifest that it names, and `ConflictError` for files that are not placed
 * anywhere.
 */
export function lockedFiles(
  lock: Lock,
  revisions: ReadonlyMap<string, LibraryRevision>,
): Map<string, TargetFile[]> {
  const files = new Map<string, Map<string, TargetFile>>();
  for (const locked of lock.assets) {
    const { library, asset: id } = locked;
    const manifest = revisions.get(library)?.manifest;
    const asset = manifest && findAsset(manifest, id);
    if (!isAsLocked(asset, locked)) throw manifestMismatchError(library, id);
    const ofLibrary = files.get(library) ?? new Map<string, TargetFile>();
    for (const file of filesOf([asset]).values()) ofLibrary.set(file.path, toTargetFile(library, file));
    files.set(library, ofLibrary);
  }
  refuseTrustedPaths([...files.values()].flatMap((ofLibrary) => [...ofLibrary.keys()]));
  return new Map([...files].map(([library, ofLibrary]) => [library, [...ofLibrary.values()]]));
}

/** Throws `ConflictError`: a lock promises all files of an asset, and these are never placed. */
function refuseTrustedPaths(paths: readonly string[]): void {
  const trusted = trustedPaths(paths);
  if (trusted.length === 0) return;
  throw new ConflictError(
    sentenceWithPaths(
      'These files would be where other programs find what they run or trust; nothing was written:',
      trusted,
    ),
    trusted,
  );
}

/** Paths begin with namespace and name, so files of two libraries cannot collide. */
function toTargetFile(library: string, file: ManifestFile): TargetFile {
  return { ...file, path: `${library}/${file.path}`, remotePath: file.path };
}

function manifestMismatchError(library: string, id: string): ProjectFileError {
  const message = `assets: the manifest of ${library} does not match the lock for ${id}`;
  return new ProjectFileError(LOCK_FILE, [{ line: 1, column: 1, message }], 'lock_mismatch');
}
