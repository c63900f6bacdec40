import { routes } from '@bindery/contract/wire';
import { ObjectCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import { TreeError } from '../failures.ts';
import { type LibraryAddress, libraryParams } from '../library/library-address.ts';
import { digestOf, findAsset } from '../library/manifest.ts';
import { LOCK_FILE, type LockedAsset, type LockedLibrary, parseLock } from './lock.ts';
import { idsOf, lockedAddress, readRevision } from './locked-revision.ts';
import { readProject } from './project.ts';
import { type LibraryRevision, matcherOf } from './resolve-uses.ts';
import { libraryOf, parseCanonicalUse, type Use } from './use.ts';

export interface OutdatedOptions {
  cacheFolder: string;
  clientFor(server: string | null): Promise<Client>;
  signal?: AbortSignal | undefined;
}

/** A library whose contents now differ from those that a project has locked, in what the project uses of it. */
export interface OutdatedLibrary {
  library: string;
  /** As in the lock; with a release if the project names one. */
  locked: { release: string | null; revision: number };
  /** The newest release if the project names one, else the current revision. */
  now: { release: string | null; revision: number };
  /** Names of the project's assets that would change, or that no longer exist. */
  changed: string[];
  gone: string[];
  /** Ids of assets that the uses of the project match and that are not locked. */
  added: string[];
}

/**
 * Returns the libraries of which the project would get other files. Those with other pictures, texts or vectors, or
 * with changes elsewhere, are not among them. Throws what reading a library throws.
 */
export async function outdatedLibraries(
  folder: string,
  { cacheFolder, clientFor, signal }: OutdatedOptions,
): Promise<OutdatedLibrary[]> {
  const { lockFile } = readProject(folder);
  if (lockFile === null) throw new TreeError(`There is no ${LOCK_FILE}.`, { code: 'no_lock' });
  const { uses, libraries, assets } = parseLock(lockFile);
  const objects = new ObjectCache(cacheFolder);
  const found: OutdatedLibrary[] = [];
  for (const [library, locked] of Object.entries(libraries)) {
    const client = await clientFor(locked.server);
    const address = await newestAddress(client, lockedAddress(library, locked), signal);
    const usesOfIt = uses.map(parseCanonicalUse).filter((use) => libraryOf(use) === library);
    const parts = { objects, records: null, clientFor, signal };
    const now = await readRevision(address, locked.server, idsOf(usesOfIt), parts);
    if (now.locked.manifest.sha256 === locked.manifest.sha256) continue;
    const own = assets.filter((asset) => asset.library === library);
    const { changed, gone } = findChangedAssets(own, now);
    const added = findAddedAssets(own, usesOfIt, now);
    if (changed.length + gone.length + added.length === 0) continue;
    found.push({ library, locked: named(locked), now: named(now.locked), changed, gone, added });
  }
  return found;
}

/** Replaces a release by the newest one; the address of a library itself stays. */
export async function newestAddress(
  client: Client,
  address: LibraryAddress,
  signal?: AbortSignal,
): Promise<LibraryAddress> {
  if (address.release === undefined) return address;
  const { releases } = await client.call(routes.releases.listReleases, {
    params: libraryParams(address),
    query: { pageSize: 1 },
    ...(signal ? { signal } : {}),
  });
  return { ...address, release: releases[0]?.name ?? address.release };
}

function findChangedAssets(assets: readonly LockedAsset[], { manifest }: LibraryRevision) {
  const digests = assets.map(({ name, asset: id, digest }) => {
    const asset = findAsset(manifest, id);
    return {
      name,
      isGone: asset === undefined,
      isSame: asset !== undefined && digestOf(asset.files) === digest,
    };
  });
  return {
    changed: digests.filter(({ isGone, isSame }) => !isGone && !isSame).map(({ name }) => name),
    gone: digests.filter(({ isGone }) => isGone).map(({ name }) => name),
  };
}

function findAddedAssets(
  locked: readonly LockedAsset[],
  uses: readonly Use[],
  { manifest }: LibraryRevision,
): string[] {
  const known = new Set(locked.map(({ asset }) => asset));
  const matching = uses.map(({ selector }) => matcherOf(selector, manifest));
  return manifest.assets
    .filter((asset) => !known.has(asset.id) && matching.some((matches) => matches(asset)))
    .map(({ id }) => id);
}

function named({ release, revision }: LockedLibrary): { release: string | null; revision: number } {
  return { release: release ?? null, revision };
}
