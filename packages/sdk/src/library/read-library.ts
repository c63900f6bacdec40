import { hash } from 'node:crypto';
import { forEachBounded } from '@bindery/concurrency/for-each';
import type { LibraryDetail, Manifest, ManifestFile, PresignedFile } from '@bindery/contract';
import {
  LIMITS,
  MANIFEST_HEADER,
  MANIFEST_SIZE_HEADER,
  routes,
  SEMANTIC_HEADER,
} from '@bindery/contract/wire';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import { sleep } from '../client/retry.ts';
import { ConflictError, IntegrityError } from '../failures.ts';
import {
  formatLibraryAddress,
  type LibraryAddress,
  libraryParams,
  type NumberedAddress,
  numberedQuery,
  readQuery,
} from './library-address.ts';

export interface ReadOptions {
  manifests?: ManifestStore | undefined;
  signal?: AbortSignal | undefined;
}

/** One revision of a library as the service has it. */
export interface RemoteLibrary {
  row: LibraryDetail;
  manifest: Manifest;
  /** Of the manifest's bytes. */
  manifestSha256: string;
  /** Only some of its assets were read. */
  isPart?: true;
  /** Its bytes, if they had to be downloaded. */
  manifestBytes?: Uint8Array | undefined;
  /** Size and hash of the requested platform artifacts, by path. */
  artifacts: ReadonlyMap<string, ManifestFile>;
}

/** A library's row, and the hash of its manifest. */
export interface LibraryHead {
  row: LibraryDetail;
  /** Null if the service does not report it. */
  manifestSha256: string | null;
  /** In bytes; null if the service does not report it. */
  manifestSize: number | null;
  /** Whether a search of the library is semantic: `on`, or why not. Null if the service does not report it. */
  semanticReason: string | null;
}

/** For an address with a revision, returns that number in the row, which is otherwise that of the current revision. */
export async function readHead(
  client: LibraryClient,
  address: NumberedAddress,
  signal?: AbortSignal,
): Promise<LibraryHead> {
  const { body, headers } = await client.callWithHeaders(routes.libraries.getLibrary, {
    params: libraryParams(address),
    query: readQuery(address),
    ...(signal ? { signal } : {}),
  });
  const { revision = body.revision } = address;
  const isCurrent = revision === body.revision;
  return {
    row: isCurrent ? body : { ...body, revision },
    manifestSha256: isCurrent ? (headers[MANIFEST_HEADER] ?? null) : null,
    manifestSize: isCurrent ? Number(headers[MANIFEST_SIZE_HEADER]) || null : null,
    semanticReason: headers[SEMANTIC_HEADER] ?? null,
  };
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
  address: NumberedAddress,
  { row, manifestSha256 }: LibraryHead,
  options: ReadOptions & { artifacts?: (manifest: Manifest) => string[] },
): Promise<RemoteLibrary> {
  const { manifests } = options;
  const kept = manifests?.read(client.baseUrl, address) ?? null;
  const isKept = kept !== null && kept.sha256 === manifestSha256;
  const downloaded = isKept ? undefined : await downloadManifest(client, address, options.signal);
  const current = downloaded ?? kept;
  if (current === null) throw new Error('a manifest is neither kept nor downloaded');
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
  const manifestBytes = downloaded?.bytes;
  return { row, manifest, manifestSha256: sha256, manifestBytes, artifacts: known };
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
    const library = formatLibraryAddress(address);
    super(`The service has lost the manifest of ${library}: its copy is damaged.`, {
      code: 'manifest_lost',
      details: { library },
    });
  }
}

/** Matches the manifest's hash in its entity tag; a proxy may have set another tag. */
const TAGGED_HASH = /^W\/"([0-9a-f]{64})"$/;

/**
 * Downloads the manifest, of a revision with a number if the address has one; also returns its stored bytes. Throws
 * `IntegrityError` if it is damaged or invalid.
 */
export async function downloadManifest(
  client: LibraryClient,
  address: NumberedAddress,
  signal?: AbortSignal,
): Promise<{ bytes: Uint8Array; manifest: Manifest; sha256: string }> {
  // Loaded only here: most runs have the manifest in the cache and need no schemas to validate it.
  const reader = import('./read-manifest.ts');
  const { bytes, etag } = await client.raw(routes.libraries.getManifest, {
    params: libraryParams(address),
    query: numberedQuery(address),
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
  address: NumberedAddress,
  paths: string[],
  signal?: AbortSignal,
): Promise<{ ttlSeconds: number; files: PresignedFile[] }> {
  return client.call(routes.libraries.presignFiles, {
    params: libraryParams(address),
    query: numberedQuery(address),
    body: { paths, ttlSeconds: LIMITS.presignTtl.max },
    idempotent: true,
    ...(signal ? { signal } : {}),
  });
}

/** A manifest as it was read. */
export interface CachedManifest {
  /** Hash of its bytes. */
  sha256: string;
  manifest: Manifest;
  /** Sizes and hashes of platform artifacts, which a manifest lacks, as reported for one state of the library. */
  artifacts: { state: string; files: ManifestFile[] };
}

/** Stores the last manifest read of each library. */
export interface ManifestStore {
  read(server: string, address: LibraryAddress): CachedManifest | null;
  /** `text` is the manifest as JSON, if that is at hand. */
  write(server: string, address: LibraryAddress, cached: CachedManifest, text?: string): void;
}

/** Returns what a store keeps of a manifest after it was published. */
export function cachedManifest(
  row: LibraryDetail,
  {
    sha256,
    manifest,
    artifacts,
  }: Pick<CachedManifest, 'sha256' | 'manifest'> & { artifacts: ManifestFile[] },
): CachedManifest {
  return { sha256, manifest, artifacts: { state: artifactState(row), files: artifacts } };
}

/** Returns the number of the revision that a kept manifest is of, as long as the service does not restart its numbering. */
export function keptRevision({ artifacts: { state } }: CachedManifest): number {
  return Number.parseInt(state, 10);
}

/** Identifies a state of a library: in two states its artifacts may differ although its manifest is the same. */
function artifactState({ revision, createdAt, updatedAt }: LibraryDetail): string {
  return `${revision} ${createdAt} ${updatedAt}`;
}

/** The library got a new revision while the old one was being read; plans based on that must be made again. */
export class RevisionSupersededError extends Error {
  override readonly name = 'RevisionSupersededError';
}

/** Whether a failure means that somebody else published in the meantime, so that another try may succeed. */
export function isRevisionConflict(error: unknown): boolean {
  if (error instanceof RevisionSupersededError) return true;
  return error instanceof ApiError && (error.code === 'revision_conflict' || error.code === 'unknown_path');
}

const MAX_REVISIONS = 50;
const PAUSE_MS = 50;

/** Runs `attempt` until it sees the same revision from start to end. Throws `ConflictError` if it never does. */
export async function retryUntilStable<T>(
  attempt: () => Promise<T>,
  signal: AbortSignal | undefined,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await attempt();
    } catch (error) {
      if (!(error instanceof RevisionSupersededError)) throw error;
      if (tries === MAX_REVISIONS) {
        throw new ConflictError('The library changes faster than it can be read; try again later.');
      }
      await sleep(PAUSE_MS, signal);
    }
  }
}

const CONCURRENCY = 8;

/**
 * Downloads files of a library into memory and returns their bytes by path. Throws `RevisionSupersededError` if the
 * library has different ones by now, and `IntegrityError` if bytes do not match their hash.
 */
export async function downloadFiles(
  client: LibraryClient,
  address: NumberedAddress,
  wanted: readonly ManifestFile[],
  signal?: AbortSignal,
): Promise<Map<string, Uint8Array>> {
  const found = new Map<string, Uint8Array>();
  for (let at = 0; at < wanted.length; at += LIMITS.presignPaths) {
    const batch = wanted.slice(at, at + LIMITS.presignPaths);
    const { files } = await presign(
      client,
      address,
      batch.map(({ path }) => path),
      signal,
    );
    const pairs = batch.map((wanted, index) => ({ wanted, offered: files[index] }));
    await forEachBounded(pairs, { concurrency: CONCURRENCY, signal }, async ({ wanted, offered }, signal) => {
      if (offered?.sha256 !== wanted.sha256) throw new RevisionSupersededError();
      const bytes = await client.download({ url: offered.url, signal }, wanted.size);
      if (hash('sha256', bytes) !== wanted.sha256) {
        throw new IntegrityError(`${wanted.path} does not match its hash.`);
      }
      found.set(wanted.path, bytes);
    });
  }
  return found;
}
