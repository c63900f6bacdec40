import { LIMITS } from '@bindery/contract/wire';
import type { ObjectCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import { ConflictError, IntegrityError, NotSignedInError } from '../failures.ts';
import {
  formatLibraryAddress,
  type LibraryAddress,
  parseLibraryAddress,
} from '../library/library-address.ts';
import { filesOf } from '../library/manifest.ts';
import type { ValidatedManifestCache } from '../library/manifest-cache.ts';
import { readRemoteLibrary } from '../library/manifest-cache.ts';
import { downloadManifest, readHead, retryUntilStable } from '../library/read-library.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { FetchOptions } from '../obtain/fetch-files.ts';
import { type Source, serviceSource } from '../obtain/obtain.ts';
import type { TargetFile } from '../place/written-files.ts';
import type { LockedLibrary } from './lock.ts';
import type { LibraryRevision } from './resolve-uses.ts';

export interface ReadRevisionParts {
  /** Null: there is no cache. */
  objects: ObjectCache | null;
  /** Manifests that need not be validated again. Null: there is no cache. */
  validated: ValidatedManifestCache | null;
  mirror?: Mirror | undefined;
  /** Returns the client for a server; null: that of the login. */
  clientFor(server: string | null): Promise<Client>;
  signal?: AbortSignal | undefined;
}

const MAX_TRIES = 10;

/** Reads the current revision of a library, or the release that the address names. */
export async function readRevision(
  address: LibraryAddress,
  server: string | null,
  { objects, clientFor, signal }: ReadRevisionParts,
): Promise<LibraryRevision> {
  const client = await clientFor(server);
  for (let tries = 1; ; tries++) {
    const { row, manifestSha256 } = await readHead(client, address, signal);
    const kept = manifestSha256 === null ? null : (objects?.readByHash(manifestSha256) ?? null);
    const { bytes, sha256 } =
      kept === null || manifestSha256 === null
        ? await downloadManifest(client, address, signal)
        : { bytes: kept, sha256: manifestSha256 };
    if (manifestSha256 !== null && sha256 !== manifestSha256) {
      // Somebody published between the two reads.
      if (tries < MAX_TRIES) continue;
      throw new IntegrityError(
        `The service lists a different manifest of ${formatLibraryAddress(address)} than it serves.`,
      );
    }
    const { readManifest } = await import('../library/read-manifest.ts');
    const manifest = readManifest(bytes);
    const object = { sha256, size: bytes.length };
    objects?.add(object, bytes);
    const { release } = address;
    const locked = {
      server: client.baseUrl,
      ...(release === undefined ? {} : { release }),
      revision: row.revision,
      manifest: object,
    };
    return { locked, manifest };
  }
}

/**
 * Reads the revision that a lock names, from the cache, a mirror or its service; only the hash is trusted. Throws
 * `RevisionGoneError` if the service no longer has it, `NotSignedInError` if it may be hidden from who is not signed in.
 */
export async function readLockedRevision(
  library: string,
  locked: LockedLibrary,
  parts: ReadRevisionParts,
): Promise<LibraryRevision> {
  const { objects, mirror, validated } = parts;
  const known = validated?.read(locked.manifest.sha256) ?? null;
  if (known !== null) return { locked, manifest: known };
  const bytes =
    objects?.read(locked.manifest) ??
    (mirror ? await readManifestFromMirror(mirror, locked, parts.signal) : null) ??
    (await readManifestFromService(library, locked, parts));
  const { readManifest } = await import('../library/read-manifest.ts');
  const manifest = readManifest(bytes);
  objects?.add(locked.manifest, bytes);
  validated?.write(locked.manifest.sha256, manifest);
  return { locked, manifest };
}

async function readManifestFromMirror(
  mirror: Mirror,
  { manifest }: LockedLibrary,
  signal?: AbortSignal,
): Promise<Uint8Array> {
  if (manifest.size > LIMITS.manifest.bytes) {
    throw new IntegrityError('The lock refers to a manifest that is larger than the maximum.');
  }
  return Buffer.concat(await Array.fromAsync(mirror.read(manifest, signal)));
}

async function readManifestFromService(
  library: string,
  locked: LockedLibrary,
  { clientFor, signal }: ReadRevisionParts,
): Promise<Uint8Array> {
  const client = await clientFor(locked.server);
  try {
    const { bytes, sha256 } = await downloadManifest(client, lockedAddress(library, locked), signal);
    if (sha256 === locked.manifest.sha256) return bytes;
  } catch (error) {
    const isMissing = error instanceof ApiError && error.code === 'not_found';
    if (isMissing && !client.authenticated)
      throw new NotSignedInError(client.baseUrl, formatLibraryAddress(lockedAddress(library, locked)));
    if (isMissing && locked.release !== undefined) {
      throw new RevisionGoneError(
        library,
        locked,
        `${client.baseUrl} has no such release, or you do not have access to it`,
      );
    }
    throw error;
  }
  throw new RevisionGoneError(
    library,
    locked,
    `${client.baseUrl} has a different one, and this machine has no copy`,
  );
}

/** Returns the address of the library or release that a lock names. */
export function lockedAddress(library: string, { release }: LockedLibrary): LibraryAddress {
  const address = parseLibraryAddress(library);
  if (address === null) throw new Error(`${library} is not a library`);
  return { ...address, ...(release === undefined ? {} : { release }) };
}

/** What a lock names is no longer available, neither on this machine nor where it was looked for. */
class RevisionGoneError extends ConflictError {
  constructor(library: string, locked: LockedLibrary, now: string) {
    const { release, revision } = locked;
    const what = release === undefined ? `Revision ${revision}` : `Release ${release}`;
    super(`${what} of ${library} no longer exists: ${now}.`, [library], {
      code: 'revision_gone',
      details: { library, release: release ?? null, revision },
    });
  }
}

/** The service that a lock names: whatever it has at the library or the release, if the files are still among it. */
export function lockedSource(
  library: string,
  locked: LockedLibrary,
  parts: Pick<ReadRevisionParts, 'clientFor'> & FetchOptions & { cacheFolder: string },
): Source {
  const { clientFor, signal } = parts;
  const open = async (files: readonly TargetFile[]) => {
    const client = await clientFor(locked.server);
    const address = await readableAddress(client, library, locked, signal);
    const found = await findCurrentPaths(client, address, library, locked, files, parts);
    return serviceSource(client, address, parts).open(found);
  };
  return {
    async open(files) {
      let opened: Awaited<ReturnType<Source['open']>> | null = await retryUntilStable(
        () => open(files),
        signal,
      );
      return (placer) =>
        retryUntilStable(async () => {
          const transfer = opened ?? (await open(files.filter((file) => !placer.written.holds(file))));
          opened = null;
          await transfer(placer);
        }, signal);
    },
  };
}

/** Returns the locked release, or the library itself if that is deleted: it may still have the same files. */
async function readableAddress(
  client: Client,
  library: string,
  locked: LockedLibrary,
  signal?: AbortSignal,
): Promise<LibraryAddress> {
  const address = lockedAddress(library, locked);
  if (address.release === undefined) return address;
  try {
    await readHead(client, address, signal);
    return address;
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 'not_found') throw error;
    return { ...address, release: undefined };
  }
}

/** Finds the same contents in the service's current manifest, by any path. Throws `RevisionGoneError`. */
async function findCurrentPaths(
  client: Client,
  address: LibraryAddress,
  library: string,
  locked: LockedLibrary,
  files: readonly TargetFile[],
  { cacheFolder, signal }: { cacheFolder: string; signal?: AbortSignal | undefined },
): Promise<TargetFile[]> {
  const head = await readHead(client, address, signal);
  if (head.manifestSha256 === locked.manifest.sha256) return [...files];
  const { manifest, row } = await readRemoteLibrary(client, address, head, { cacheFolder, signal });
  const byContent = new Map(
    [...filesOf(manifest.assets).values()].map(({ path, sha256, size }) => [`${sha256} ${size}`, path]),
  );
  const gone = files.filter(({ sha256, size }) => !byContent.has(`${sha256} ${size}`));
  if (gone.length > 0) {
    const what = gone.length === 1 ? `${gone[0]?.path} is` : `${gone.length} of its files are`;
    throw new RevisionGoneError(
      library,
      locked,
      `${client.baseUrl} is now at revision ${row.revision}, and ${what} neither in it nor in the cache of this machine`,
    );
  }
  return files.map((file) => ({
    ...file,
    remotePath: byContent.get(`${file.sha256} ${file.size}`) ?? file.remotePath,
  }));
}
