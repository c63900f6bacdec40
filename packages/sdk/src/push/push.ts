import { hash } from 'node:crypto';
import { join } from 'node:path';
import {
  type LibraryDetail,
  MANIFEST_PATH,
  type Manifest,
  routes,
  SOURCE_CURATION_PATH,
  type Visibility,
} from '@bindery/contract';
import { type BroughtVectors, bringVectors } from '../artifacts/bring-vectors.ts';
import {
  type DrawnThumbnails,
  drawThumbnails,
  type ThumbnailReport,
  withThumbnails,
} from '../artifacts/draw-thumbnails.ts';
import type { EmbeddingReport } from '../artifacts/embed-assets.ts';
import type { EmbeddingModel } from '../artifacts/embedder.ts';
import type { ThumbnailRenderer } from '../artifacts/thumbnail-renderer.ts';
import { BaseMemory } from '../base/base-memory.ts';
import { stateOf } from '../base/library-state.ts';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import {
  type AssetPreview,
  type DiscoveredLibrary,
  discoverLibrary,
  previewOf,
  refuseEmptyLibrary,
} from '../discovery/index.ts';
import { formatLibraryAddress, type LibraryAddress, libraryParams } from '../library/address.ts';
import { filesOf } from '../library/manifest.ts';
import { hasMovedOn } from '../library/moved-on.ts';
import type { RemoteLibrary } from '../library/remote-library.ts';

import { HashCache } from '../tree/hash-cache.ts';
import type { LeftOut } from '../tree/left-out.ts';
import { localHashes } from '../tree/local-hashes.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { bufferSource, fileSource, type UploadSource } from '../tree/upload-source.ts';
import { buildManifest } from './build-manifest.ts';
import { carryThumbnails, divideArtifacts, type LostArtifacts, lostThumbnails } from './carry-artifacts.ts';
import { refusalOf } from './guard.ts';
import { freshContent, type PushPlan, planPush } from './plan.ts';
import { type Publication, registerRevision, sendRevision } from './publish.ts';
import { findHead, manifestLost, readTarget } from './read-target.ts';
import { requireWriting } from './upload.ts';

export interface PushOptions {
  cacheFolder: string;
  stateFolder: string;
  /** Plan only. */
  dryRun?: boolean | undefined;
  /** Undo what others did since this folder was last in step with the library. */
  force?: boolean | undefined;
  /** Read every local file, whatever the cache says, and have the service read what it holds of them. */
  verify?: boolean | undefined;
  visibility?: Visibility | undefined;
  /** Draw thumbnails of the assets that bring none. */
  renderer?: ThumbnailRenderer | undefined;
  /** Make vectors of all thumbnails and texts. */
  model?: EmbeddingModel | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

export interface PushResult extends PushPlan {
  library: string;
  status: 'published' | 'unchanged' | 'planned';
  /** The revision after the push; of a plan, the one that it was made against, 0 where there is no library. */
  revision: number;
  visibility: Visibility | null;
  /** What a push of this plan would stop for, if anything. */
  refusal: string | null;
  leftOut: LeftOut[];
  /** What the assets of the folder will be, and why; null of a push that was carried out. */
  preview: AssetPreview[] | null;
  /** Null where none were asked for. */
  thumbnails: ThumbnailReport | null;
  /** Null where nothing was to be embedded. */
  embeddings: EmbeddingReport | null;
  /** Assets that lost what was drawn and encoded of them, because they changed and nothing new was asked for. */
  lost: LostArtifacts;
  /** Paths of files that the service had lost and was sent again. */
  replaced: string[];
  /** What was found amiss, here or by the service, and was no reason to stop. */
  warnings: string[];
}

/**
 * Makes a library equal to a folder. Throws `TreeError` and `CurationError` for what is wrong in the folder,
 * `ConflictError` where it would undo what others did since the folder was last in step with the library, and the
 * client's errors.
 */
export async function pushFolder(
  client: Client,
  address: LibraryAddress,
  folder: string,
  options: PushOptions,
): Promise<PushResult> {
  const found = discoverLibrary(folder);
  refuseEmptyLibrary(found);
  const source = { found, local: await readLocal(found, options), draw: drawOnce(found.root, options) };
  try {
    return await pushOnce(client, address, source, options, 'new');
  } catch (error) {
    const again = lostRace(error);
    if (again === null) throw error;
    return pushOnce(client, address, source, options, again);
  }
}

/** What a push starts from, whatever the library holds. */
interface PushSource {
  found: DiscoveredLibrary;
  local: Manifest;
  draw(manifest: Manifest): Promise<DrawnThumbnails | null>;
}

/** What is uploaded: what the last revision does not hold, or, where the store lost some of it, everything. */
type Extent = 'new' | 'everything';

async function pushOnce(
  client: Client,
  address: LibraryAddress,
  { found, local, draw }: PushSource,
  options: PushOptions,
  extent: Extent,
): Promise<PushResult> {
  const head = await findHead(client, address, options.signal);
  const remote = head && (await readTarget(client, address, head, local, options));
  const memory = new BaseMemory(options.stateFolder, found.root, client.baseUrl, address);
  const remembered = memory.read();
  const curationHash = found.curation && hash('sha256', found.curation);
  const authored = { manifest: local, curation: curationHash };
  const refusal = options.force
    ? null
    : head !== null && remote === null
      ? manifestLost(address)
      : refusalOf(authored, remote, remembered);
  if (refusal !== null && !options.dryRun) throw refusal;

  const makes = options.renderer !== undefined || options.model !== undefined;
  if (makes && !options.dryRun) await requireWriting(client, address, options.signal);
  const drawn = await draw(local);
  const carried = remote === null ? local : carryThumbnails(local, remote.manifest);
  const pictured = withThumbnails(carried, drawn?.sources ?? new Map());
  const thumbnails = [...(drawn?.sources.values() ?? [])];
  const vectors = await bringVectors(
    client,
    address,
    { manifest: pictured, root: found.root, made: thumbnails },
    remote,
    options.model === undefined ? null : { model: options.model },
    options,
  );
  const { manifest } = vectors;
  const curation = found.curation === null ? [] : [bufferSource(SOURCE_CURATION_PATH, found.curation)];
  const made = [...curation, ...thumbnails, ...vectors.sources];
  const artifacts = divideArtifacts(manifest, made, extent === 'new' ? remote : null);
  const plan = planPush(manifest, remote?.manifest ?? null);
  const toMake = options.dryRun === true && hasWork(drawn, vectors);
  const unchanged = plan.unchanged && extent === 'new' && artifacts.fresh.length === 0 && !toMake;
  const result = (
    status: PushResult['status'],
    row: LibraryDetail | undefined,
    replaced: string[] = [],
  ): PushResult => ({
    library: formatLibraryAddress(address),
    status,
    revision: row?.revision ?? 0,
    visibility: row?.visibility ?? null,
    ...plan,
    unchanged,
    refusal: refusal?.message ?? null,
    leftOut: found.leftOut,
    preview: options.dryRun ? previewOf(found) : null,
    thumbnails: drawn?.report ?? null,
    embeddings: options.dryRun ? withPicturesToDraw(vectors.report, drawn) : vectors.report,
    lost: {
      thumbnails: remote === null ? 0 : lostThumbnails(remote.manifest, manifest),
      vectors: vectors.lost,
    },
    replaced,
    warnings: [...found.warnings, ...vectors.warnings, ...(row?.warnings ?? [])],
  });

  if (options.dryRun) return result('planned', head?.row);
  const state = stateOf(local, curationHash);
  const inStep = async (row: LibraryDetail) => {
    memory.write({ base: state });
    return result('unchanged', await withVisibility(client, address, row, options));
  };
  if (unchanged && remote !== null && !options.verify) return inStep(remote.row);
  if (remembered !== null && remembered !== 'damaged') memory.write({ ...remembered, published: state });
  const sendsAll = options.verify === true || extent === 'everything';
  const publication: Publication = {
    manifest,
    files: sourcesOf(found, manifest, sendsAll ? null : (remote?.manifest ?? null)),
    artifacts: options.verify ? made : artifacts.fresh,
    keptArtifacts: artifacts.kept,
    expectedRevision: head?.row.revision ?? 0,
    visibility: options.visibility,
    verify: options.verify,
  };
  const sent = await sendRevision(client, address, publication, options);
  if (unchanged && remote !== null && sent.length === 0) return inStep(remote.row);
  const row = await registerRevision(client, address, publication, options);
  memory.write({ base: state });
  return result('published', row, pathsHeldBefore(sent, remote, unchanged));
}

/** Those that the revision before had, and of an unchanged library the manifest too. */
function pathsHeldBefore(
  sent: readonly UploadSource[],
  remote: RemoteLibrary | null,
  unchanged: boolean,
): string[] {
  if (remote === null) return [];
  const files = [...filesOf(remote.manifest.assets).values(), ...remote.artifacts.values()];
  const held = new Set(files.map(({ sha256 }) => sha256));
  return sent
    .filter(({ path, sha256 }) => held.has(sha256) || (unchanged && path === MANIFEST_PATH))
    .map(({ path }) => path);
}

/** Thumbnails depend on the folder alone, so that a second try need not draw them again. */
function drawOnce(root: string, options: PushOptions): PushSource['draw'] {
  const { renderer } = options;
  let drawn: Promise<DrawnThumbnails> | undefined;
  return async ({ assets }) => {
    if (renderer === undefined) return null;
    drawn ??= drawThumbnails(assets, root, renderer, options);
    return drawn;
  };
}

function hasWork(drawn: DrawnThumbnails | null, { report }: BroughtVectors): boolean {
  const pictures = drawn?.report.rendered ?? 0;
  return pictures > 0 || (report !== null && report.images.encoded + report.texts.encoded > 0);
}

/** A plan: pictures that are still to be drawn will be encoded too. */
function withPicturesToDraw(
  report: EmbeddingReport | null,
  drawn: DrawnThumbnails | null,
): EmbeddingReport | null {
  if (report === null) return null;
  const { encoded, reused } = report.images;
  return { ...report, images: { encoded: encoded + (drawn?.report.rendered ?? 0), reused } };
}

async function readLocal(found: DiscoveredLibrary, options: PushOptions): Promise<Manifest> {
  const files = [
    ...new Map(found.assets.flatMap((asset) => asset.files).map((file) => [file.path, file])).values(),
  ];
  const cache = new HashCache(found.root, options.cacheFolder);
  cache.keepOnly(new Set(files.map(({ path }) => path)));
  return buildManifest(found, await localHashes(found.root, files, cache, options));
}

function sourcesOf(found: DiscoveredLibrary, manifest: Manifest, held: Manifest | null): UploadSource[] {
  return freshContent(manifest, held).map((file) => fileSource(file, join(found.root, file.path)));
}

async function withVisibility(
  client: Client,
  address: LibraryAddress,
  row: LibraryDetail,
  { visibility, signal }: PushOptions,
): Promise<LibraryDetail> {
  if (visibility === undefined || visibility === row.visibility) return row;
  return client.call(routes.libraries.patchLibrary, {
    params: libraryParams(address),
    body: { visibility },
    ...(signal ? { signal } : {}),
  });
}

/** Whether another try may succeed: somebody else registered first, or the store no longer holds what it did. */
function lostRace(error: unknown): Extent | null {
  if (hasMovedOn(error)) return 'new';
  if (!(error instanceof ApiError)) return null;
  return MAY_BE_LOST.has(error.code) ? 'everything' : null;
}

const MAY_BE_LOST: ReadonlySet<string> = new Set(['files_missing', 'content_mismatch', 'manifest_missing']);
