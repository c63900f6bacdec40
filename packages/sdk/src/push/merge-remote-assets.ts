import { type Manifest, ROOT_FILES } from '@bindery/contract';
import { ConflictError, sentenceWithPaths } from '../failures.ts';
import { filesOf } from '../library/manifest.ts';

/**
 * Returns the folder's manifest with the assets that only the library has, their drawn thumbnails and the library's
 * root files added. Throws `ConflictError` if both have different files at one path.
 */
export function mergeRemoteAssets(local: Manifest, remote: Manifest): Manifest {
  const own = new Set(local.assets.map(({ id }) => id));
  const others = remote.assets.filter(({ id }) => !own.has(id));
  refuseConflictingFiles(local.assets, others);
  const shown = new Set(others.map(({ thumbnail }) => thumbnail));
  const kept = remote.generated?.filter((path) => shown.has(path) || ROOT_FILES.has(path)) ?? [];
  const generated = [...new Set([...(local.generated ?? []), ...kept])];
  const library = local.library ?? remote.library;
  return {
    ...local,
    ...(library && { library }),
    assets: [...local.assets, ...others],
    ...(generated.length > 0 && { generated }),
  };
}

/** Throws `ConflictError` if `assets` have different files at paths of `others`. */
export function refuseConflictingFiles(assets: Manifest['assets'], others: Manifest['assets']): void {
  const taken = filesOf(others);
  const paths = [...filesOf(assets).values()]
    .filter(({ path, sha256 }) => (taken.get(path)?.sha256 ?? sha256) !== sha256)
    .map(({ path }) => path);
  if (paths.length === 0) return;
  throw new ConflictError(
    sentenceWithPaths('other assets of the library have different files at these paths:', paths),
    paths,
  );
}
