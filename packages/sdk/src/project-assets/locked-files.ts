import type { ManifestFile } from '@bindery/contract';
import { ConflictError, ProjectFileError, sentenceWithPaths } from '../failures.ts';
import { digestOf, filesOf, findAsset } from '../library/manifest.ts';
import type { TargetFile } from '../place/written-files.ts';
import { trustedPaths } from '../tree/names.ts';
import { LOCK_FILE, type Lock } from './lock.ts';
import type { LibraryRevision } from './resolve-uses.ts';

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
  for (const { library, asset: id, digest, entry } of lock.assets) {
    const revision = revisions.get(library);
    const asset = revision && findAsset(revision.manifest, id);
    const isThere = asset !== undefined && digestOf(asset.files) === digest;
    if (!isThere || !(entry === undefined || asset.files.some(({ path }) => path === entry))) {
      throw manifestMismatchError(library, id);
    }
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
      'these files would be where other programs find what they run or trust; nothing was written:',
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
  const message = `assets: the manifest of ${library} does not match the lock for ${id}; "bindery sync" rewrites the lock`;
  return new ProjectFileError(LOCK_FILE, [{ line: 1, column: 1, message }]);
}
