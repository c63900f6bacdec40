import { openCache } from '../cache/object-cache.ts';
import { AssetNotFoundError, TreeError } from '../failures.ts';
import { ValidatedManifestCache } from '../library/manifest-cache.ts';
import { SharedRecords } from '../library/shared-records.ts';
import { mirrorSource } from '../obtain/obtain.ts';
import { WrittenFiles } from '../place/written-files.ts';
import { type CachedAsset, type PlaceInCacheOptions, placeRevision } from '../pull/place-in-cache.ts';
import { selectFiles } from '../pull/select-files.ts';
import { trustedPaths } from '../tree/names.ts';
import { LOCK_FILE, parseLock } from './lock.ts';
import { type ReadRevisionParts, readLockedRevision, wantedByLock } from './locked-revision.ts';
import { lockedSource } from './locked-source.ts';
import { readProject } from './project.ts';

/**
 * Makes the cache hold an asset that the lock of a project names, as it is locked; no network is needed if the cache has
 * it. Throws `AssetNotFoundError` for a name that the lock does not have, and what `syncProject` throws.
 */
export async function placeLockedInCache(
  project: string,
  name: string,
  options: PlaceInCacheOptions & Pick<ReadRevisionParts, 'clientFor'>,
): Promise<CachedAsset & { asset: string }> {
  const { root, lockFile } = readProject(project);
  if (lockFile === null) throw new TreeError(`There is no ${LOCK_FILE} in ${root}.`, { code: 'no_lock' });
  const { assets, libraries } = parseLock(lockFile);
  const found = assets.find((asset) => asset.name === name);
  const locked = found && libraries[found.library];
  if (found === undefined || locked === undefined)
    throw new AssetNotFoundError(`${root}/${LOCK_FILE}`, [name]);
  const { library, asset } = found;
  const parts = {
    ...options,
    objects: openCache(options),
    validated: options.verify ? null : new ValidatedManifestCache(options.cacheFolder),
    records: new SharedRecords(options.cacheFolder, options),
  };
  const { manifest } = await readLockedRevision(library, locked, wantedByLock(library, [found]), parts);
  const wanted = selectFiles(library, manifest, new Map(), { assets: [asset] });
  for (const path of trustedPaths(wanted.keys())) wanted.delete(path);
  const revision = {
    ...{ library, server: locked.server, manifest, wanted },
    revision: locked.revision,
    manifestSha256: locked.manifest.sha256,
  };
  const source = options.mirror
    ? mirrorSource(options.mirror, options)
    : lockedSource(library, locked, options);
  return { ...(await placeRevision(revision, source, asset, new WrittenFiles(), options)), asset };
}
