import { hash } from 'node:crypto';
import type { LibraryDetail, Manifest, ManifestFile, PresignedFile } from '@bindery/contract';
import { LIMITS, MANIFEST_HEADER, routes } from '@bindery/contract/wire';
import { ApiError } from '../client/errors.ts';
import type { LibraryClient } from '../client/library-client.ts';
import { IntegrityError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress, libraryParams, readQuery } from './library-address.ts';
import { artifactState, type ManifestStore } from './manifest-store.ts';

export interface ReadOptions {
  manifests?: ManifestStore | undefined;
  signal?: AbortSignal | undefined;
}

/** One revision of a library as the service has it. */
export interface RemoteLibrary {
  row: LibraryDetail;
  manifest: Manifest;
  /** Size and hash of the requested platform artifacts, by path. */
  artifacts: ReadonlyMap<string, ManifestFile>;
}

/** A library's row, and the hash of its manifest. */
export interface LibraryHead {
  row: LibraryDetail;
  /** Null if the service does not report it. */
  manifestSha256: string | null;
}

export async function readHead(
  client: LibraryClient,
  address: LibraryAddress,
  signal?: AbortSignal,
): Promise<LibraryHead> {
  const { body, headers } = await client.callWithHeaders(routes.libraries.getLibrary, {
    params: libraryParams(address),
    query: readQuery(address),
    ...(signal ? { signal } : {}),
  });
  return { row: body, manifestSha256: headers[MANIFEST_HEADER] ?? null };
}

/** Like `readHead`; returns null if the library is missing or hidden. */
export async function readHeadIfPresent(
  client: LibraryClient,
  address: LibraryAddress,
  signal?: AbortSignal,
): Promise<LibraryHead | null> {
  try {
    return await readHead(client, address, signal);
  } catch (error) {
    if (error instanceof ApiError && error.code === 'not_found') return null;
    throw error;
  }
}

/**
 * Returns the library's manifest, from the cache if the same bytes were read before. `artifacts` returns paths whose
 * size and hash are also needed. Throws `ApiError` (`unknown_path`) for one that the library does not have.
 */
export async function readLibrary(
  client: LibraryClient,
  address: LibraryAddress,
  { row, manifestSha256 }: LibraryHead,
  options: ReadOptions & { artifacts?: (manifest: Manifest) => string[] },
): Promise<RemoteLibrary> {
  const { manifests } = options;
  const kept = manifests?.read(client.baseUrl, address) ?? null;
  const current =
    kept !== null && kept.sha256 === manifestSha256
      ? kept
      : await downloadManifest(client, address, options.signal);
  const { manifest, sha256 } = current;
  const state = artifactState(row);
  const isKnown = current === kept && kept.artifacts.state === state;
  const known = new Map(isKnown ? kept.artifacts.files.map((file) => [file.path, file]) : []);
  const unknown = (options.artifacts?.(manifest) ?? []).filter((path) => !known.has(path));
  for (const file of await describeArtifacts(client, address, unknown, options.signal)) {
    known.set(file.path, file);
  }
  // Not cached if the manifest belongs to a newer revision than the row.
  if (sha256 === manifestSha256 && !(isKnown && unknown.length === 0)) {
    const artifacts = { state, files: [...known.values()] };
    manifests?.write(client.baseUrl, address, { sha256, manifest, artifacts });
  }
  return { row, manifest, artifacts: known };
}

/** Returns the size and hash of platform artifacts, of which a manifest holds only paths. */
export async function describeArtifacts(
  client: LibraryClient,
  address: LibraryAddress,
  paths: readonly string[],
  signal?: AbortSignal,
): Promise<ManifestFile[]> {
  const found: ManifestFile[] = [];
  for (let at = 0; at < paths.length; at += LIMITS.presignPaths) {
    const { files } = await presign(client, address, paths.slice(at, at + LIMITS.presignPaths), signal);
    for (const { path, size, sha256 } of files) found.push({ path, size, sha256 });
  }
  return found;
}

/** The service sent a manifest that does not match the hash it states: its copy is damaged. */
export class DamagedManifestError extends IntegrityError {
  constructor(address: LibraryAddress) {
    super(
      `the service has lost the manifest of ${formatLibraryAddress(address)}: its copy is damaged; ` +
        'a push with --verify from a folder that has the library restores it',
    );
  }
}

/** Matches the manifest's hash in its entity tag; a proxy may have set another tag. */
const TAGGED_HASH = /^W\/"([0-9a-f]{64})"$/;

/** Downloads the manifest; also returns its stored bytes. Throws `IntegrityError` if it is damaged or invalid. */
export async function downloadManifest(
  client: LibraryClient,
  address: LibraryAddress,
  signal?: AbortSignal,
): Promise<{ bytes: Uint8Array; manifest: Manifest; sha256: string }> {
  // Loaded only here: most runs have the manifest in the cache and need no schemas to validate it.
  const reader = import('./read-manifest.ts');
  const { bytes, etag } = await client.raw(routes.libraries.getManifest, {
    params: libraryParams(address),
    query: readQuery(address),
    ...(signal ? { signal } : {}),
  });
  const sha256 = hash('sha256', bytes);
  const [, promised = sha256] = TAGGED_HASH.exec(etag ?? '') ?? [];
  if (promised !== sha256) throw new DamagedManifestError(address);
  const { readManifest } = await reader;
  return { bytes, manifest: readManifest(bytes), sha256 };
}

/** Returns presigned URLs for at most 1,000 paths, with the longest lifetime that the service grants. */
export async function presign(
  client: LibraryClient,
  address: LibraryAddress,
  paths: string[],
  signal?: AbortSignal,
): Promise<{ ttlSeconds: number; files: PresignedFile[] }> {
  return client.call(routes.libraries.presignFiles, {
    params: libraryParams(address),
    query: readQuery(address),
    body: { paths, ttlSeconds: LIMITS.presignTtl.max },
    idempotent: true,
    ...(signal ? { signal } : {}),
  });
}
