import {
  LIMITS,
  type LibraryDetail,
  type Manifest,
  type ManifestFile,
  type PresignedFile,
  routes,
} from '@bindery/contract';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { type LibraryAddress, libraryParams, shareQuery } from './address.ts';
import { readManifest } from './manifest.ts';
import { artifactState, type CachedManifest, ManifestCache } from './manifest-cache.ts';

export interface RemoteOptions {
  /** Where caches live. */
  cacheFolder: string;
  signal?: AbortSignal | undefined;
}

/** One revision of a library as the service has it. */
export interface RemoteLibrary {
  row: LibraryDetail;
  manifest: Manifest;
  /** Size and hash of the platform artifacts that were asked about. */
  artifacts: ReadonlyMap<string, ManifestFile>;
}

export async function readRow(
  client: Client,
  address: LibraryAddress,
  signal?: AbortSignal,
): Promise<LibraryDetail> {
  return client.call(routes.libraries.getLibrary, {
    params: libraryParams(address),
    query: shareQuery(address),
    ...(signal ? { signal } : {}),
  });
}

/** As `readRow`; null where the library is missing or hidden. */
export async function readRowIfPresent(
  client: Client,
  address: LibraryAddress,
  signal?: AbortSignal,
): Promise<LibraryDetail | null> {
  try {
    return await readRow(client, address, signal);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return null;
    throw error;
  }
}

/**
 * The library's manifest; not transferred where the cache has these very bytes. `artifacts` are paths whose size and hash
 * are wanted beside those of the manifest; one that the library does not declare is left out.
 */
export async function readRemoteLibrary(
  client: Client,
  address: LibraryAddress,
  row: LibraryDetail,
  options: RemoteOptions & { artifacts?: (manifest: Manifest) => string[] },
): Promise<RemoteLibrary> {
  const cache = new ManifestCache(options.cacheFolder);
  const cached = cache.read(client.baseUrl, address);
  const { manifest, etag } = await readCurrentManifest(client, address, cached, options.signal);
  const state = artifactState(row);
  const isKnown = cached !== null && cached.etag === etag && cached.artifacts.state === state;
  const known = new Map(isKnown ? cached.artifacts.files.map((file) => [file.path, file]) : []);
  const unknown = (options.artifacts?.(manifest) ?? []).filter((path) => !known.has(path));
  for (let at = 0; at < unknown.length; at += LIMITS.presignPaths) {
    const { files } = await presign(
      client,
      address,
      unknown.slice(at, at + LIMITS.presignPaths),
      options.signal,
    );
    for (const { path, size, sha256 } of files) known.set(path, { path, size, sha256 });
  }
  if (etag !== null && !(isKnown && unknown.length === 0)) {
    const artifacts = { state, files: [...known.values()] };
    cache.write(client.baseUrl, address, { etag, manifest, artifacts });
  }
  return { row, manifest, artifacts: known };
}

async function readCurrentManifest(
  client: Client,
  address: LibraryAddress,
  cached: CachedManifest | null,
  signal?: AbortSignal,
): Promise<{ manifest: Manifest; etag: string | null }> {
  const { status, etag, bytes } = await client.raw(routes.libraries.getManifest, {
    params: libraryParams(address),
    query: shareQuery(address),
    ...(cached ? { ifNoneMatch: cached.etag } : {}),
    ...(signal ? { signal } : {}),
  });
  if (cached && status === 304) return cached;
  return { manifest: readManifest(bytes), etag };
}

/** Presigned addresses for at most a thousand paths, for as long as the service grants. */
export async function presign(
  client: Client,
  address: LibraryAddress,
  paths: string[],
  signal?: AbortSignal,
): Promise<{ ttlSeconds: number; files: PresignedFile[] }> {
  return client.call(routes.libraries.presignFiles, {
    params: libraryParams(address),
    query: shareQuery(address),
    body: { paths, ttlSeconds: LIMITS.presignTtl.max },
    idempotent: true,
    ...(signal ? { signal } : {}),
  });
}
