import { hash } from 'node:crypto';
import { join } from 'node:path';
import {
  type LibraryDetail,
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
import { type DiscoveredLibrary, discoverLibrary, refuseEmptyLibrary } from '../discovery/index.ts';
import { formatLibraryAddress, type LibraryAddress, libraryParams } from '../library/address.ts';
import { hasMovedOn } from '../library/moved-on.ts';
import { type RemoteLibrary, readHeadIfPresent, readRemoteLibrary } from '../library/remote-library.ts';
import { HashCache } from '../tree/hash-cache.ts';
import type { LeftOut } from '../tree/left-out.ts';
import { localHashes } from '../tree/local-hashes.ts';
import type { ProgressListener } from '../tree/progress.ts';
import { buildManifest } from './build-manifest.ts';
import { carryThumbnails, divideArtifacts, type LostArtifacts, lostThumbnails } from './carry-artifacts.ts';
import { refusalOf } from './guard.ts';
import { freshContent, type PushPlan, planPush } from './plan.ts';
import { publish } from './publish.ts';
import { requireWriting } from './upload.ts';
import { bufferSource, fileSource, type UploadSource } from './upload-source.ts';

export interface PushOptions {
  cacheFolder: string;
  stateFolder: string;
  /** Plan only. */
  dryRun?: boolean | undefined;
  /** Undo what others did since this folder was last in step with the library. */
  force?: boolean | undefined;
  /** Read every local file, whatever the cache says. */
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
  /** Null where none were asked for. */
  thumbnails: ThumbnailReport | null;
  /** Null where nothing was to be embedded. */
  embeddings: EmbeddingReport | null;
  /** Assets that lost what was drawn and encoded of them, because they changed and nothing new was asked for. */
  lost: LostArtifacts;
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
  const remote = await readRemote(client, address, options);
  const memory = new BaseMemory(options.stateFolder, found.root, client.baseUrl, address);
  const remembered = memory.read();
  const curationHash = found.curation && hash('sha256', found.curation);
  const authored = { manifest: local, curation: curationHash };
  const refusal = options.force ? null : refusalOf(authored, remote, remembered);
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
  const result = (status: PushResult['status'], row: LibraryDetail | undefined): PushResult => ({
    library: formatLibraryAddress(address),
    status,
    revision: row?.revision ?? 0,
    visibility: row?.visibility ?? null,
    ...plan,
    unchanged,
    refusal: refusal?.message ?? null,
    leftOut: found.leftOut,
    thumbnails: drawn?.report ?? null,
    embeddings: options.dryRun ? withPicturesToDraw(vectors.report, drawn) : vectors.report,
    lost: {
      thumbnails: remote === null ? 0 : lostThumbnails(remote.manifest, manifest),
      vectors: vectors.lost,
    },
    warnings: [...vectors.warnings, ...(row?.warnings ?? [])],
  });

  if (options.dryRun) return result('planned', remote?.row);
  const state = stateOf(local, curationHash);
  if (unchanged && remote !== null) {
    memory.write({ base: state });
    return result('unchanged', await withVisibility(client, address, remote.row, options));
  }
  if (remembered !== null && remembered !== 'damaged') memory.write({ ...remembered, published: state });
  const row = await publish(
    client,
    address,
    {
      manifest,
      files: sourcesOf(found, manifest, extent === 'new' ? (remote?.manifest ?? null) : null),
      artifacts: artifacts.fresh,
      keptArtifacts: artifacts.kept,
      expectedRevision: remote?.row.revision ?? 0,
      visibility: options.visibility,
    },
    options,
  );
  memory.write({ base: state });
  return result('published', row);
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

async function readRemote(
  client: Client,
  address: LibraryAddress,
  options: PushOptions,
): Promise<RemoteLibrary | null> {
  const head = await readHeadIfPresent(client, address, options.signal);
  if (head === null) {
    await requireNamespace(client, address, options.signal);
    return null;
  }
  return readRemoteLibrary(client, address, head, {
    ...options,
    artifacts: ({ generated = [] }) => generated,
  });
}

/** Has a push into a namespace that is missing or hidden fail before anything is drawn, encoded or sent. */
async function requireNamespace(
  client: Client,
  { namespace }: LibraryAddress,
  signal: AbortSignal | undefined,
): Promise<void> {
  await client.call(routes.namespaces.getNamespace, {
    params: { slug: namespace },
    ...(signal ? { signal } : {}),
  });
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
  return error.code === 'files_missing' || error.code === 'content_mismatch' ? 'everything' : null;
}
