import { openCache } from '../cache/object-cache.ts';
import type { Client } from '../client/client.ts';
import { ApiError, NetworkError } from '../client/errors.ts';
import { RevisionNotFoundError } from '../failures.ts';
import {
  formatLibraryAddress,
  formatNumberedAddress,
  type NumberedAddress,
} from '../library/library-address.ts';
import { ManifestCache, readRemoteLibrary } from '../library/manifest-cache.ts';
import { areFewIds, readAssets } from '../library/read-assets.ts';
import {
  type LibraryHead,
  type RemoteLibrary,
  RevisionSupersededError,
  readHead,
} from '../library/read-library.ts';
import { SharedRecords } from '../library/shared-records.ts';
import type { Mirror } from '../mirror/mirror.ts';
import type { FetchOptions } from '../obtain/fetch-files.ts';
import { mirrorSource, type Source, serviceSource } from '../obtain/obtain.ts';
import type { TargetFile } from '../place/written-files.ts';
import { trustedPaths } from '../tree/names.ts';
import { type Selection, selectArtifacts, selectFiles, selectIds } from './select-files.ts';

/** What is pulled, and from where. */
export interface RevisionOptions extends Selection, FetchOptions {
  cacheFolder: string;
  /** Use the cache of this machine; on by default. */
  cache?: boolean | undefined;
  /** Read the whole manifest, whatever is selected. */
  whole?: boolean | undefined;
  /** Read every local and cached file again, and ask the service about a release in the cache. */
  verify?: boolean | undefined;
  /** The source of the files instead of the service, whose manifest still says what they are. */
  mirror?: Mirror | undefined;
}

/** Null: unknown, because only the cache was read. */
interface RevisionState {
  revision: number;
  createdAt: string | null;
  updatedAt: string | null;
}

/** A revision as it was read, and the files that a folder should have of it, by path. */
export interface PulledRevision {
  client: Client;
  address: NumberedAddress;
  library: string;
  row: RevisionState;
  remote: Omit<RemoteLibrary, 'row'>;
  /** The selected ids; null means the whole library. */
  assets: string[] | null;
  wanted: Map<string, TargetFile>;
  /** Paths that other programs trust. */
  refused: string[];
}

/**
 * Reads a revision. A release, which never changes, is read from the cache if that has all that is wanted of it, unless
 * everything is to be verified, or if its service cannot be reached.
 */
export async function readRevision(
  client: Client,
  address: NumberedAddress,
  options: RevisionOptions,
): Promise<PulledRevision> {
  const cached = await readCachedRelease(client.baseUrl, address, options);
  const found = cached && selectedOf(client, address, cached, options);
  const cache = openCache(options);
  if (found && !options.verify && [...found.wanted.values()].every((file) => cache?.find(file))) return found;
  try {
    return selectedOf(client, address, await readOnline(client, address, options), options);
  } catch (error) {
    if (found !== null && error instanceof NetworkError) return found;
    throw error;
  }
}

function selectedOf(
  client: Client,
  address: NumberedAddress,
  { row, remote }: Read,
  options: RevisionOptions,
): PulledRevision {
  const library = formatLibraryAddress(address);
  const wanted = selectFiles(library, remote.manifest, remote.artifacts, options);
  const refused = trustedPaths(wanted.keys());
  for (const path of refused) wanted.delete(path);
  const assets = selectIds(library, remote.manifest, options);
  return { client, address, library, row, remote, assets, wanted, refused };
}

type Read = Pick<PulledRevision, 'row' | 'remote'>;

async function readCachedRelease(
  server: string,
  address: NumberedAddress,
  options: RevisionOptions,
): Promise<Read | null> {
  const cache = openCache(options);
  if (address.release === undefined || cache === null) return null;
  const records = new SharedRecords(options.cacheFolder);
  const head = records.releaseHead(server, address);
  if (head === null) return null;
  const row = { revision: head.revision, createdAt: null, updatedAt: null };
  const part = areFew(options) && (await records.assets(server, head.sha256, options.assets));
  if (part)
    return {
      row,
      remote: { manifest: part, manifestSha256: head.sha256, isPart: true, artifacts: new Map() },
    };
  const bytes = cache.read(head);
  if (bytes === null) return null;
  const kept = new ManifestCache(options.cacheFolder).read(server, address);
  const isKept = kept?.sha256 === head.sha256;
  const known = isKept ? kept.artifacts.files : [];
  const manifest = isKept ? kept.manifest : (await import('../library/read-manifest.ts')).readManifest(bytes);
  const artifacts = new Map(known.map((file) => [file.path, file]));
  if (selectArtifacts(manifest, options).some((path) => !artifacts.has(path))) return null;
  return { row, remote: { manifest, manifestSha256: head.sha256, artifacts } };
}

async function readOnline(client: Client, address: NumberedAddress, options: RevisionOptions): Promise<Read> {
  const library = formatLibraryAddress(address);
  const current = await readHead(client, address, options.signal);
  const remote = await readSelected(client, address, current, options).catch((error: unknown) => {
    const isGone = error instanceof ApiError && error.code === 'not_found' && address.revision !== undefined;
    throw isGone ? new RevisionNotFoundError(formatNumberedAddress(address), library) : error;
  });
  const { manifestBytes: bytes, manifestSha256: sha256 } = remote;
  const size = bytes?.byteLength ?? current.manifestSize;
  const cache = openCache(options);
  if (cache !== null && address.release !== undefined && size !== null) {
    if (bytes !== undefined) cache.add({ sha256, size }, bytes);
    const head = { revision: current.row.revision, sha256, size };
    new SharedRecords(options.cacheFolder).writeReleaseHead(client.baseUrl, address, head);
  }
  return { row: current.row, remote };
}

/** Reads the selected assets alone, if the service can tell them so and nothing else needs the whole manifest. */
async function readSelected(
  client: Client,
  address: NumberedAddress,
  head: LibraryHead,
  options: RevisionOptions,
): Promise<RemoteLibrary> {
  const isKept = address.release !== undefined && openCache(options) !== null;
  const records = isKept ? new SharedRecords(options.cacheFolder, options) : null;
  const part =
    areFew(options) && (await readAssets(client, address, head, options.assets, { ...options, records }));
  if (part) return part;
  return readRemoteLibrary(client, address, head, {
    ...options,
    artifacts: (manifest) => selectArtifacts(manifest, options),
  });
}

function areFew(options: RevisionOptions): options is RevisionOptions & { assets: readonly string[] } {
  return areFewIds(options.assets) && !options.all && !options.whole;
}

/** The mirror, if there is one, or the service, whose revision must still be the one that is pulled. */
export function sourceOf({ client, address, row }: PulledRevision, options: RevisionOptions): Source {
  const { mirror, signal } = options;
  const source =
    mirror === undefined ? serviceSource(client, address, options) : mirrorSource(mirror, options);
  const confirmRevision = async () => {
    if (address.revision !== undefined) return;
    const { row: now } = await readHead(client, address, signal);
    if (now.revision !== row.revision || now.createdAt !== row.createdAt) throw new RevisionSupersededError();
  };
  return {
    async open(files) {
      const [transfer] = await Promise.all([source.open(files), confirmRevision()]);
      return transfer;
    },
  };
}
