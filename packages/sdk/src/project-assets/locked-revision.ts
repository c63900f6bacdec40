import type { Manifest, ManifestAsset } from '@bindery/contract';
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
import { digestOf, findAsset } from '../library/manifest.ts';
import type { ValidatedManifestCache } from '../library/manifest-cache.ts';
import { areFewIds, readAssets } from '../library/read-assets.ts';
import { downloadManifest, readHead, readHeadIfPresent } from '../library/read-library.ts';
import type { SharedRecords } from '../library/shared-records.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { LockedAsset, LockedLibrary } from './lock.ts';
import type { LibraryRevision } from './resolve-uses.ts';
import type { Use } from './use.ts';

export interface ReadRevisionParts {
  /** Null: there is no cache. */
  objects: ObjectCache | null;
  /** Manifests that need not be validated again. Null: there is no cache. */
  validated: ValidatedManifestCache | null;
  /** Assets that need no manifest. Null: there is no cache. */
  records: SharedRecords | null;
  mirror?: Mirror | undefined;
  /** Returns the client for a server; null: that of the login. */
  clientFor(server: string | null): Promise<Client>;
  signal?: AbortSignal | undefined;
}

const MAX_TRIES = 10;

/** Returns the ids that uses of one library name; null if others of its assets may match, or if they are many. */
export function idsOf(uses: readonly Pick<Use, 'selector'>[]): string[] | null {
  const ids = uses.flatMap(({ selector }) => (selector.by === 'id' ? selector.id : []));
  return ids.length === uses.length ? fewOf(ids) : null;
}

function fewOf(ids: readonly string[]): string[] | null {
  const distinct = [...new Set(ids)];
  return areFewIds(distinct) ? distinct : null;
}

/**
 * Reads the current revision of a library, or the release that the address names: its assets with these ids, if the
 * service can tell them alone, else all.
 */
export async function readRevision(
  address: LibraryAddress,
  server: string | null,
  ids: readonly string[] | null,
  { objects, records, clientFor, signal }: Omit<ReadRevisionParts, 'validated'>,
): Promise<LibraryRevision> {
  const client = await clientFor(server);
  const { release } = address;
  const libraryAt = ({ revision }: { revision: number }, manifest: LockedLibrary['manifest']) => ({
    server: client.baseUrl,
    ...(release === undefined ? {} : { release }),
    revision,
    manifest,
  });
  for (let tries = 1; ; tries++) {
    const head = await readHead(client, address, signal);
    const { row, manifestSha256, manifestSize: size } = head;
    const part = size && ids && (await readAssets(client, address, head, ids, { records, signal }));
    if (part)
      return { locked: libraryAt(row, { sha256: part.manifestSha256, size }), manifest: part.manifest };
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
    return { locked: libraryAt(row, object), manifest };
  }
}

/** What is wanted of a locked library: assets with these ids, or all, and those that the lock has. */
interface WantedAssets {
  ids: readonly string[] | null;
  locked: readonly LockedAsset[];
  /** There may be others, of which the lock does not say what files they have. */
  hasMore?: boolean;
}

/**
 * Reads the revision that a lock names, from the cache, a mirror or its service: what is wanted of it, or all. Of a
 * manifest only the hash is trusted, of a single asset that the lock has its digest. Throws `RevisionGoneError` if the
 * service no longer has it, `NotSignedInError` if it may be hidden from who is not signed in.
 */
export async function readLockedRevision(
  library: string,
  locked: LockedLibrary,
  wanted: WantedAssets,
  parts: ReadRevisionParts,
): Promise<LibraryRevision> {
  const part = await readLockedAssets(library, locked, wanted, parts);
  if (part !== null) return { locked, manifest: part };
  const { objects, mirror, validated } = parts;
  const known = validated?.read(locked.manifest.sha256) ?? null;
  if (known !== null) return { locked, manifest: known };
  const bytes =
    objects?.read(locked.manifest) ??
    (mirror ? await readManifestFromMirror(mirror, locked, parts.signal) : null) ??
    (await readManifestFromService(library, locked, wanted, parts));
  const { readManifest } = await import('../library/read-manifest.ts');
  const manifest = readManifest(bytes);
  objects?.add(locked.manifest, bytes);
  validated?.write(locked.manifest.sha256, manifest);
  return { locked, manifest };
}

/** Returns what a lock has of a library; nothing else is wanted of it. */
export function wantedByLock(library: string, assets: readonly LockedAsset[]): WantedAssets {
  const locked = assets.filter((asset) => asset.library === library);
  return { ids: fewOf(locked.map(({ asset }) => asset)), locked };
}

/** Returns the assets alone; null if the manifest is at hand or must be read, because they are many, or not as locked. */
async function readLockedAssets(
  library: string,
  { server, manifest, ...locked }: LockedLibrary,
  wanted: WantedAssets,
  { objects, records, validated, mirror, clientFor, signal }: ReadRevisionParts,
): Promise<Manifest | null> {
  const { ids } = wanted;
  if (ids === null) return null;
  const stated = wanted.locked.filter(({ asset }) => ids.includes(asset));
  const ifAsLocked = (part: Manifest | null | undefined) =>
    part && stated.every((asset) => isAsLocked(findAsset(part, asset.asset), asset)) ? part : null;
  const known = ifAsLocked(await records?.assets(server, manifest.sha256, ids));
  if (known !== null) return known;
  if (validated?.has(manifest.sha256) || objects?.find(manifest) || mirror !== undefined) return null;
  const client = await clientFor(server);
  const address = lockedAddress(library, locked);
  const head = await readHeadIfPresent(client, address, signal);
  if (head?.manifestSha256 !== manifest.sha256) return null;
  return ifAsLocked((await readAssets(client, address, head, ids, { signal, records }))?.manifest);
}

/** Whether an asset is there and has the files that a lock states. */
export function isAsLocked(
  asset: ManifestAsset | undefined,
  { digest, entry }: LockedAsset,
): asset is ManifestAsset {
  if (asset === undefined || digestOf(asset.files) !== digest) return false;
  return entry === undefined || asset.files.some(({ path }) => path === entry);
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
  { hasMore }: WantedAssets,
  { clientFor, signal }: ReadRevisionParts,
): Promise<Uint8Array> {
  const client = await clientFor(locked.server);
  const address = lockedAddress(library, locked);
  const head = await readHeadIfPresent(client, address, signal);
  if (head === null && !client.authenticated)
    throw new NotSignedInError(client.baseUrl, formatLibraryAddress(address));
  if (head === null && locked.release !== undefined) {
    const now = `${client.baseUrl} has no such release, or you do not have access to it`;
    throw new RevisionGoneError(library, locked, now);
  }
  const isReplaced = head?.manifestSha256 && head.manifestSha256 !== locked.manifest.sha256;
  // Those who manage a library can read what was replaced for as long as it is kept.
  const numbered =
    isReplaced && hasMore && !locked.release ? { ...address, revision: locked.revision } : address;
  try {
    const { bytes, sha256 } = await downloadManifest(client, numbered, signal);
    if (sha256 === locked.manifest.sha256) return bytes;
  } catch (error) {
    if (!isReplaced || !(error instanceof ApiError && error.code === 'not_found')) throw error;
  }
  throw new RevisionGoneError(
    library,
    locked,
    `${client.baseUrl} has a different one, and this machine has no copy`,
  );
}

/** Returns the address of the library or release that a lock names. */
export function lockedAddress(library: string, { release }: Pick<LockedLibrary, 'release'>): LibraryAddress {
  const address = parseLibraryAddress(library);
  if (address === null) throw new Error(`${library} is not a library`);
  return { ...address, ...(release === undefined ? {} : { release }) };
}

/** What a lock names is no longer available, neither on this machine nor where it was looked for. */
export class RevisionGoneError extends ConflictError {
  constructor(library: string, locked: LockedLibrary, now: string) {
    const { release, revision } = locked;
    const what = release === undefined ? `Revision ${revision}` : `Release ${release}`;
    super(`${what} of ${library} no longer exists: ${now}.`, [library], {
      code: 'revision_gone',
      details: { library, release: release ?? null, revision },
    });
  }
}
