import type { ManifestFile, Visibility } from '@bindery/contract';
import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { config } from 'zod';
import { encodeMissingTexts } from '../artifacts/service-vectors.ts';
import { carryVectors } from '../artifacts/vectors.ts';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import { discoverFiles } from '../discovery/discover.ts';
import { type AssetPreview, previewOf } from '../discovery/discovered-library.ts';
import type { ReadPart } from '../discovery/file-reader.ts';
import { TreeError } from '../failures.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { filesOf } from '../library/manifest.ts';
import { readHeadIfPresent, readLibrary } from '../library/read-library.ts';
import { describeCarried } from '../push/carry.ts';
import type { PushPlan } from '../push/plan.ts';
import { type PlannedRevision, planRevision, prepareRevision, scopeOfRetry } from '../push/prepare.ts';
import { type PushResult, publishRevision, resultOf } from '../push/publish.ts';
import { buildManifest, type PushSource, type RevisionOptions, rootFilesOf } from '../push/source.ts';
import { fileTotal, type ProgressListener, withProgress } from '../tree/progress.ts';
import type { UploadSource } from '../tree/upload-source.ts';

export { DEFAULT_RETRY } from '../client/retry.ts';
export type { AssetPreview } from '../discovery/discovered-library.ts';
export { editMetadata, type Metadata, type MetadataEdit } from '../edit/edit-metadata.ts';
export { type DrawnThumbnail, setThumbnails } from '../edit/set-thumbnails.ts';
export type { ProposedText, PushSource } from '../push/source.ts';
export type { ProgressListener } from '../tree/progress.ts';

// zod would otherwise generate code, which pages with a strict Content Security Policy forbid.
config({ jitless: true });

export interface PickedOptions {
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/**
 * Discovers and hashes picked files by the rules of `bindery library push`. For web workers only, where parts of files
 * can be read synchronously. Throws `TreeError` and `CurationError` for problems in the files.
 */
export async function readPickedFiles(
  files: readonly PickedFile[],
  options: PickedOptions = {},
): Promise<PushSource> {
  const read = partReader(files);
  const found = discoverFiles(files, read);
  if (found.assets.length === 0)
    throw new TreeError('It has no assets: it needs a folder or a file that is not hidden.');
  const published = new Map(found.assets.flatMap((asset) => asset.files).map((file) => [file.path, file]));
  const hashes = await hashPicked([...published.values()], options);
  return {
    found,
    local: buildManifest(found, hashes),
    rootFiles: rootFilesOf({
      curation: found.curation,
      readme: found.readme && read(found.readme.path, 0, found.readme.size),
    }),
    generatesArtifacts: false,
    certify: async () => null,
    draw: async () => null,
    embed: (client, address, next, remote) => carryVectors(client, address, next, remote, options),
    open: (file) => pickedSource(file, published.get(file.path)?.blob ?? new Blob()),
  };
}

async function hashPicked(
  files: readonly PickedFile[],
  { signal, progress }: PickedOptions,
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  await withProgress(progress, 'Hashing', fileTotal(files), async (work) => {
    for (const { path, blob } of files) {
      signal?.throwIfAborted();
      try {
        hashes.set(path, await hashBlob(blob, (read) => work.advance({ bytes: read })));
      } catch (error) {
        throw new TreeError(`${path} cannot be read; it may have changed since it was picked.`, {
          cause: error,
        });
      }
      work.advance({ items: 1 });
    }
  });
  return hashes;
}

/** What picked files are of a library, and in which folder of it a part belongs; '' for its root. */
export interface Placement {
  coverage: 'whole' | 'part';
  folder: string;
}

/**
 * Guesses where a folder of picked files belongs, by the paths that it has in common with the library. It is taken for
 * a part, of which nothing is removed, unless there is no library yet.
 */
export async function suggestPlacement(
  client: LibraryClient,
  address: LibraryAddress,
  { folder, files }: { folder: string; files: readonly PickedFile[] },
  signal?: AbortSignal,
): Promise<Placement> {
  const head = await readHeadIfPresent(client, address, signal);
  if (head === null) return { coverage: 'whole', folder: '' };
  if (folder === '') return { coverage: 'part', folder };
  const { manifest } = await readLibrary(client, address, head, { signal });
  const held = filesOf(manifest.assets);
  const asLibrary = files.filter(({ path }) => held.has(path)).length;
  const asPart = files.filter(({ path }) => held.has(`${folder}/${path}`)).length;
  return { coverage: 'part', folder: asLibrary > asPart ? '' : folder };
}

/** What pushing picked files would change in a library, known before anything is sent. */
export interface PickedPlan {
  changes: PushPlan;
  preview: AssetPreview[];
  /** Paths that are not part of the library, and why. */
  leftOut: PushResult['leftOut'];
  warnings: string[];
  /** The revision that the plan was made against; null if there is no library yet. */
  revision: number | null;
  visibility: Visibility | null;
}

/** A planned push, to be shown to the user and then carried out exactly as shown, or not at all. */
export interface PlannedPush {
  readonly plan: PickedPlan;
  /**
   * Uploads what the library lacks and registers the revision, or keeps it as a proposal. Can be called again after a
   * network failure: what has arrived is not sent again. Throws `ApiError` (`revision_conflict`) if somebody else has
   * published in the meantime.
   */
  publish(options: PickedOptions & Pick<RevisionOptions, 'visibility' | 'propose'>): Promise<PushResult>;
}

/**
 * Compares picked files with a library's current revision. `coverage`: whether they are all of it. For who may not change
 * the library, the plan is for a proposal, whose title `publish` takes.
 */
export async function planPickedPush(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  { coverage, signal }: { coverage: 'whole' | 'part'; signal?: AbortSignal | undefined },
): Promise<PlannedPush> {
  const now = await readHeadIfPresent(client, address, signal);
  // The user is shown what would be undone or removed, and confirms it by publishing.
  const options: RevisionOptions = {
    ...{ coverage, force: true, confirmRemovals: async () => {}, signal },
    propose: now?.row.viewerCanManage === false ? { title: '' } : undefined,
  };
  const planned = await prepareRevision(client, address, source, NO_FOLDER_RECORD, options, 'missing');
  const row = planned.head?.row;
  return {
    plan: {
      changes: planned.changes,
      preview: previewOf(describeCarried(source.found, planned.carried)),
      leftOut: source.found.leftOut,
      warnings: [...source.found.warnings, ...planned.vectors.warnings],
      revision: row?.revision ?? null,
      visibility: row?.visibility ?? null,
    },
    publish: (more) => publishPicked(client, address, source, planned, { ...options, ...more }),
  };
}

async function publishPicked(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  planned: PlannedRevision,
  options: RevisionOptions,
): Promise<PushResult> {
  const asPlanned: RevisionOptions = {
    ...options,
    beforeRegister: () => requireSameVisibility(client, address, planned, options.signal),
  };
  try {
    const embedded = await withServiceVectors(client, address, source, planned, options);
    return await publishRevision(client, address, source, embedded, NO_FOLDER_RECORD, asPlanned);
  } catch (error) {
    const scope = scopeOfRetry(error);
    if (scope === null) throw error;
    const now = await prepareRevision(client, address, source, NO_FOLDER_RECORD, options, scope);
    if (scope === 'missing') return resultIfPublished(address, source, planned, now, error);
    const isSame = now.head?.row.revision === planned.head?.row.revision;
    if (!isSame) throw error;
    return publishRevision(client, address, source, now, NO_FOLDER_RECORD, asPlanned);
  }
}

/**
 * Adds vectors that the service makes of titles, tags and descriptions: a browser has no model. Without them the push
 * succeeds all the same, and search is by keyword.
 */
async function withServiceVectors(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  planned: PlannedRevision,
  options: RevisionOptions,
): Promise<PlannedRevision> {
  if (planned.unchanged) return planned;
  const vectors = await encodeMissingTexts(client, address, planned, planned.remote, options.signal).catch(
    (error: unknown) => {
      options.signal?.throwIfAborted();
      if (error instanceof ApiError && error.status !== 401) return null;
      throw error;
    },
  );
  return vectors === null
    ? planned
    : planRevision(source, planned, { ...planned, vectors }, options, planned.scope);
}

/** Returns the result if an earlier attempt did register the plan and only its response was lost; else throws. */
function resultIfPublished(
  address: LibraryAddress,
  source: PushSource,
  planned: PlannedRevision,
  now: PlannedRevision,
  error: unknown,
): PushResult {
  if (now.head === null && planned.head !== null) throw new LibraryChangedError('gone');
  const row = now.head?.row;
  const isNext = row?.revision === (planned.head?.row.revision ?? 0) + 1;
  if (!now.unchanged || !isNext) throw error;
  return resultOf('published', address, source, planned, row);
}

/** The library was purged or its visibility changed after a push was planned. Nothing was published. */
export class LibraryChangedError extends Error {
  override readonly name = 'LibraryChangedError';
  readonly change: 'gone' | Visibility;

  constructor(change: 'gone' | Visibility) {
    super(change === 'gone' ? 'The library no longer exists.' : `The library is ${change} now.`);
    this.change = change;
  }
}

async function requireSameVisibility(
  client: LibraryClient,
  address: LibraryAddress,
  { head }: PlannedRevision,
  signal: AbortSignal | undefined,
): Promise<void> {
  if (head === null) return;
  const now = await readHeadIfPresent(client, address, signal);
  // If the library is missing or in the Trash, the register reports that.
  if (now !== null && now.row.visibility !== head.row.visibility)
    throw new LibraryChangedError(now.row.visibility);
}

/** A browser cannot recognise a folder that it has seen before. */
const NO_FOLDER_RECORD = { read: () => null, write() {} };

/** A file that somebody picked or dropped. `path` is relative to the folder, separated by `/`. */
export interface PickedFile {
  path: string;
  size: number;
  blob: Blob;
}

/** Available in web workers only, and not declared by the type libraries in use. */
declare const FileReaderSync: new () => { readAsArrayBuffer(blob: Blob): ArrayBuffer };

/** Reads parts of picked files synchronously, which works in web workers only. */
function partReader(files: readonly PickedFile[]): ReadPart {
  const blobs = new Map(files.map(({ path, blob }) => [path, blob]));
  const reader = new FileReaderSync();
  return (path, start, length) => {
    const blob = blobs.get(path) ?? new Blob();
    return new Uint8Array(reader.readAsArrayBuffer(blob.slice(start, start + length)));
  };
}

function pickedSource(file: ManifestFile, blob: Blob): UploadSource {
  return {
    ...file,
    open: (start, end) => blob.slice(start, end),
    read(target) {
      const bytes = new Uint8Array(new FileReaderSync().readAsArrayBuffer(blob.slice(0, target.byteLength)));
      target.set(bytes);
      return bytes.byteLength;
    },
    isUnchanged: async () => (await hashBlob(blob).catch(() => null)) === file.sha256,
  };
}

/** Files of up to this many bytes are hashed by the browser itself, which needs the whole file in memory. */
const MAX_AT_ONCE = 32 * 1024 * 1024;
const CHUNK = 4 * 1024 * 1024;

/** Returns a file's lowercase hex SHA-256, in bounded memory. Plain HTTP on a LAN has no `crypto.subtle`. */
async function hashBlob(blob: Blob, onBytes: (bytes: number) => void = () => {}): Promise<string> {
  if (blob.size <= MAX_AT_ONCE && globalThis.crypto.subtle !== undefined) {
    const digest = await crypto.subtle.digest('SHA-256', await blob.arrayBuffer());
    onBytes(blob.size);
    return bytesToHex(new Uint8Array(digest));
  }
  const hash = sha256.create();
  for (let at = 0; at < blob.size; at += CHUNK) {
    const chunk = new Uint8Array(await blob.slice(at, at + CHUNK).arrayBuffer());
    hash.update(chunk);
    onBytes(chunk.byteLength);
  }
  return bytesToHex(hash.digest());
}
