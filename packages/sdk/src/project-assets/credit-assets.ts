import { compareUtf8 } from '@bindery/contract/wire';
import {
  type CreditsOptions,
  type FolderAssets,
  refuseForeignCredits,
  type WrittenCredits,
  writeCredits,
} from '../credits/write-credits.ts';
import type { Lock } from './lock.ts';
import { type AssetsFolder, openAssetsFolder } from './project.ts';
import type { LibraryRevision } from './resolve-uses.ts';

/** Throws `ConflictError` if the folder of a project's assets has credits files that Bindery did not write. */
export function refuseForeign(target: AssetsFolder): void {
  const folder = openAssetsFolder(target, { create: false });
  try {
    if (folder !== null) refuseForeignCredits(folder, []);
  } finally {
    folder?.close();
  }
}

/** Writes the credits of a lock's assets, if any, into their folder, from the manifests that the lock names. */
export function creditAssets(
  target: AssetsFolder,
  lock: Lock,
  revisions: ReadonlyMap<string, LibraryRevision>,
  options: CreditsOptions,
): WrittenCredits {
  if (lock.assets.length === 0) return { files: [], unlicensed: [] };
  const folder = openAssetsFolder(target, { create: true });
  try {
    return writeCredits(folder, folderAssets(lock, revisions), options);
  } finally {
    folder.close();
  }
}

function folderAssets(lock: Lock, revisions: ReadonlyMap<string, LibraryRevision>): FolderAssets[] {
  const used = Map.groupBy(lock.assets, ({ library }) => library);
  return [...used.keys()].sort(compareUtf8).flatMap((library) => {
    const found = revisions.get(library);
    if (found === undefined) return [];
    const { server, release = null, revision } = found.locked;
    const ids = new Set(used.get(library)?.map(({ asset }) => asset));
    return {
      revision: { library, server, release, revision, publishedAt: null },
      manifest: found.manifest,
      assets: found.manifest.assets.filter(({ id }) => ids.has(id)),
    };
  });
}
