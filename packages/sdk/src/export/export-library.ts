import { hash } from 'node:crypto';
import type { Manifest, ManifestFile } from '@bindery/contract';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { RetryPolicy } from '../client/retry.ts';
import { formatLibraryAddress, type LibraryAddress } from '../library/library-address.ts';
import { filesOf } from '../library/manifest.ts';
import {
  describeArtifacts,
  downloadManifest,
  isRevisionConflict,
  RevisionSupersededError,
  readHead,
  retryUntilStable,
} from '../library/read-library.ts';
import { objectPath } from '../mirror/objects.ts';
import { fetchFiles } from '../obtain/fetch-files.ts';
import { PresignedUrls } from '../obtain/presigned-urls.ts';
import { Placer, writeWhole } from '../place/placer.ts';
import type { TargetFile } from '../place/written-files.ts';
import { mirroredLogPath, mirroredLogText, readSignatureLog } from '../signatures/read-log.ts';
import { compareWithFolder } from '../tree/compare.ts';
import { GuardedFolder } from '../tree/guarded-folder.ts';
import { HashCache } from '../tree/hash-cache.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { addToMirrorIndex, checkMirrorIndex, type MirrorEntry } from './mirror-index.ts';

export interface ExportOptions {
  cacheFolder: string;
  stateFolder: string;
  /** Read every existing object, whatever the cache says. */
  verify?: boolean | undefined;
  /** Applies to exchanges that break. */
  retry?: RetryPolicy | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface ExportResult extends MirrorEntry {
  library: string;
  /** The real path of the mirror. */
  folder: string;
  /** Objects; files with equal contents are one. */
  fetched: { objects: number; bytes: number };
  /** How many of the fetched objects replaced damaged ones. */
  replaced: number;
  unchanged: { objects: number; bytes: number };
}

/**
 * Exports a library with its platform artifacts into a mirror, next to the libraries that are already there. Intact
 * objects stay, each new one is verified before it becomes visible, and the index names the library only once all of it
 * is there. Throws `IntegrityError`, `ConflictError`, `TreeError` and the client's errors.
 */
export async function exportLibrary(
  client: Client,
  address: LibraryAddress,
  target: string,
  options: ExportOptions,
): Promise<ExportResult> {
  const folder = GuardedFolder.openOrCreate(target);
  try {
    checkMirrorIndex(folder.root);
    return await retryUntilStable(() => exportRevision(client, address, folder, options), options.signal);
  } finally {
    folder.close();
  }
}

async function exportRevision(
  client: Client,
  address: LibraryAddress,
  folder: GuardedFolder,
  options: ExportOptions,
): Promise<ExportResult> {
  const { row, manifestSha256 } = await readHead(client, address, options.signal);
  const { bytes, manifest, sha256 } = await downloadManifest(client, address, options.signal);
  if (manifestSha256 !== null && manifestSha256 !== sha256) throw new RevisionSupersededError();
  const files = [
    ...filesOf(manifest.assets).values(),
    ...(await artifactsOf(client, address, manifest, options)),
  ];
  const { fetched, replaced, unchanged } = await fetchObjects(client, address, folder, files, options);
  const object = { path: objectPath(sha256), size: bytes.byteLength, sha256 };
  writeWhole(object, Buffer.from(bytes), folder);
  await exportLog(client, address, folder, options);
  const entry = { revision: row.revision, manifest: { sha256, size: bytes.byteLength } };
  await addToMirrorIndex(folder.root, address, entry, options.signal);
  return {
    library: formatLibraryAddress(address),
    folder: folder.root,
    ...entry,
    fetched: total(fetched),
    replaced,
    unchanged: total(unchanged),
  };
}

/** Exports the signature log, if the service has one, so that the mirror proves by itself what it holds. */
async function exportLog(
  client: Client,
  address: LibraryAddress,
  folder: GuardedFolder,
  options: ExportOptions,
): Promise<void> {
  const known = await readSignatureLog(client.baseUrl, address, async () => client, options).catch(
    (error: unknown) => {
      // Older services have no logs.
      if (error instanceof ApiError && error.code === 'not_found') return null;
      throw error;
    },
  );
  if (known === null || known.log.entries.length === 0) return;
  const { log } = known;
  const content = Buffer.from(mirroredLogText(log.entries));
  const sha256 = hash('sha256', content);
  writeWhole({ path: mirroredLogPath(log.library), size: content.length, sha256 }, content, folder);
}

async function artifactsOf(
  client: Client,
  address: LibraryAddress,
  { generated = [] }: Manifest,
  { signal }: ExportOptions,
): Promise<ManifestFile[]> {
  try {
    return await describeArtifacts(client, address, generated, signal);
  } catch (error) {
    throw isRevisionConflict(error) ? new RevisionSupersededError() : error;
  }
}

async function fetchObjects(
  client: Client,
  address: LibraryAddress,
  folder: GuardedFolder,
  files: readonly ManifestFile[],
  options: ExportOptions,
) {
  const cache = new HashCache(folder.root, options.cacheFolder);
  try {
    const { same, different, missing, obstacles } = await compareWithFolder(
      folder,
      objectsOf(files).values(),
      cache,
      options,
    );
    if (obstacles[0] !== undefined) throw obstacles[0];
    const fetched = [...different, ...missing];
    const placer = new Placer(folder, { missing });
    try {
      const urls = new PresignedUrls(client, address, fetched, options.signal);
      await fetchFiles(client, urls, fetched, placer, options);
    } finally {
      placer.written.recordHashes(cache, folder);
    }
    return { fetched, replaced: different.length, unchanged: same };
  } finally {
    cache.save();
  }
}

/** Returns one file per content, at the path of its object in a mirror. */
function objectsOf(files: readonly ManifestFile[]): Map<string, TargetFile> {
  return new Map(
    files.map(({ path, size, sha256 }) => [
      sha256,
      { path: objectPath(sha256), size, sha256, remotePath: path },
    ]),
  );
}

function total(objects: readonly TargetFile[]): { objects: number; bytes: number } {
  return { objects: objects.length, bytes: objects.reduce((sum, { size }) => sum + size, 0) };
}
