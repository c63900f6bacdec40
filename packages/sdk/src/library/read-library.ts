import { hash } from 'node:crypto';
import type { LibraryDetail, Manifest, ManifestFile, PresignedFile } from '@bindery/contract';
import { LIMITS, MANIFEST_HEADER, routes } from '@bindery/contract/wire';
import { ApiError } from '../client/errors.ts';
import type { LibraryClient } from '../client/library-client.ts';
import { IntegrityError } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress, libraryParams, readQuery } from './address.ts';
import { artifactState, type ManifestMemory } from './manifest-memory.ts';

export interface ReadOptions {
  manifests?: ManifestMemory | undefined;
  signal?: AbortSignal | undefined;
}

/** One revision of a library as the service has it. */
export interface RemoteLibrary {
  row: LibraryDetail;
  manifest: Manifest;
  /** Size and hash of the platform artifacts that were asked about. */
  artifacts: ReadonlyMap<string, ManifestFile>;
}

/** A library's row, and which manifest it has. */
export interface LibraryHead {
  row: LibraryDetail;
  /** Null where the service does not say. */
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

/** As `readHead`; null where the library is missing or hidden. */
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
 * The library's manifest, from memory where these very bytes were read before. `artifacts` are paths whose size and
 * hash are wanted beside those of the manifest; one that the library does not declare is left out.
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
  // A manifest of a newer revision than the row's is not this one's.
  if (sha256 === manifestSha256 && !(isKnown && unknown.length === 0)) {
    const artifacts = { state, files: [...known.values()] };
    manifests?.write(client.baseUrl, address, { sha256, manifest, artifacts });
  }
  return { row, manifest, artifacts: known };
}

/** Size and hash of platform artifacts, of which a manifest holds only paths. */
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

/** The service serves a manifest that is not the one it names: its copy is damaged. */
export class DamagedManifest extends IntegrityError {
  constructor(address: LibraryAddress) {
    super(
      `the service has lost the manifest of ${formatLibraryAddress(address)}: its copy is damaged; ` +
        'a push with --verify from a folder that has the library restores it',
    );
  }
}

/** The hash of the manifest in its entity tag; null where somebody on the way has put another there. */
const TAGGED_HASH = /^W\/"([0-9a-f]{64})"$/;

/** The current manifest, and its bytes as they are stored. Throws `IntegrityError` for one that is damaged or breaks a rule. */
export async function downloadManifest(
  client: LibraryClient,
  address: LibraryAddress,
  signal?: AbortSignal,
): Promise<{ bytes: Uint8Array; manifest: Manifest; sha256: string }> {
  // Most runs remember the manifest, and need none of the schemas that hold one.
  const reader = import('./read-manifest.ts');
  const { bytes, etag } = await client.raw(routes.libraries.getManifest, {
    params: libraryParams(address),
    query: readQuery(address),
    ...(signal ? { signal } : {}),
  });
  const sha256 = hash('sha256', bytes);
  const [, promised = sha256] = TAGGED_HASH.exec(etag ?? '') ?? [];
  if (promised !== sha256) throw new DamagedManifest(address);
  const { readManifest } = await reader;
  return { bytes, manifest: readManifest(bytes), sha256 };
}

/** Presigned URLs for at most a thousand paths, for as long as the service grants. */
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
