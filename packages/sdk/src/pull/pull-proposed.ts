import type { ManifestAsset, ManifestFile } from '@bindery/contract';
import { MANIFEST_SCHEMA, ROOT_FILES, routes } from '@bindery/contract/wire';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { libraryParams, type NumberedAddress, numberedQuery } from '../library/library-address.ts';
import { readProposedChanges } from '../library/read-changes.ts';
import { retryUntilStable } from '../library/read-library.ts';
import type { FetchOptions } from '../obtain/fetch-files.ts';
import { obtainFiles, serviceSource } from '../obtain/obtain.ts';
import { type TargetFile, WrittenFiles } from '../place/written-files.ts';
import { refuseCollisions } from '../tree/collisions.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { trustedPaths } from '../tree/names.ts';

/**
 * Downloads the assets that an open proposal adds or changes into a new folder, as they are in it, with the README and
 * the `bindery.yml` that the library would have. Returns how many assets these are. For those who may accept the proposal.
 *
 * @throws ApiError `not_found` if it is not open, and what `pullLibrary` throws.
 */
export async function pullProposed(
  client: Client,
  address: NumberedAddress & { proposal: number },
  target: string,
  options: FetchOptions & { cacheFolder: string },
): Promise<number> {
  const written = new WrittenFiles();
  const { proposal: _, ...library } = address;
  return retryUntilStable(async () => {
    const { assets, proposed, current } = await readProposed(client, address, options.signal);
    const folder = GuardedFolder.openOrCreate(target);
    try {
      refuseCollisions([...proposed.keys(), ...current.keys()], folder.root);
      for (const [of, files] of [
        [address, proposed],
        [library, current],
      ] as const) {
        for (const path of trustedPaths(files.keys())) files.delete(path);
        const wanted = [...files.values()].filter((file) => !written.holds(file));
        const missing = wanted.filter(({ path }) => !written.has(path));
        const source = serviceSource(client, of, options);
        await obtainFiles(wanted, source, { ...options, folder, missing, cache: null, written });
      }
    } finally {
      folder.close();
    }
    return assets;
  }, options.signal);
}

/** The files that a proposal brings or leaves to its assets, and those at the root that are the library's as it is now. */
async function readProposed(
  client: Client,
  address: NumberedAddress & { proposal: number },
  signal: AbortSignal | undefined,
): Promise<{ assets: number; proposed: Map<string, TargetFile>; current: Map<string, TargetFile> }> {
  const proposed = new Map<string, TargetFile>();
  const current = new Map<string, TargetFile>();
  const { from, to, changes } = await readProposedChanges(client, address, address.proposal, signal);
  const assets: Pick<ManifestAsset, 'id' | 'files'>[] = [];
  for (const { id, after, untold } of changes) {
    const asset = untold ? await readAsset(client, address, id, signal) : after;
    if (asset === null) continue;
    const files = asset.files.map(({ path, size, sha256 }) => ({ path, size, sha256 }));
    assets.push({ id, files });
    for (const file of files) proposed.set(file.path, { ...file, remotePath: file.path });
  }
  const { checkManifest } = await import('../library/read-manifest.ts');
  checkManifest({ schema: MANIFEST_SCHEMA, assets });
  for (const { path: remotePath, size, sha256 } of to.rootFiles) {
    const path = ROOT_FILES.get(remotePath);
    if (path === undefined || proposed.has(path)) continue;
    const isCurrent = from.rootFiles.some((one) => one.path === remotePath && one.sha256 === sha256);
    (isCurrent ? current : proposed).set(path, { path, size, sha256, remotePath });
  }
  return { assets: assets.length, proposed, current };
}

/** An asset with too many files for a list of changes. Null if the proposal removes it. */
async function readAsset(
  client: Client,
  address: NumberedAddress,
  assetId: string,
  signal: AbortSignal | undefined,
): Promise<{ files: readonly ManifestFile[] } | null> {
  try {
    return await client.call(routes.libraries.getAsset, {
      params: { ...libraryParams(address), assetId },
      query: numberedQuery(address),
      ...(signal ? { signal } : {}),
    });
  } catch (error) {
    if (error instanceof ApiError && error.code === 'asset_not_found') return null;
    throw error;
  }
}
