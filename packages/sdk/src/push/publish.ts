import type { LibraryDetail, ManifestChanges, ManifestFile, Visibility } from '@bindery/contract';
import { effectiveLicense, LIMITS, MANIFEST_PATH, orderManifest, routes } from '@bindery/contract/wire';
import type { CertificateReport } from '../artifacts/certificates.ts';
import type { DrawnThumbnails, ThumbnailReport } from '../artifacts/thumbnails.ts';
import type { EmbeddingReport } from '../artifacts/vectors.ts';
import { type FolderRecordStore, rootFilesAmong, stateOf } from '../base/library-state.ts';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import { mergeableText } from '../curation/mergeable-text.ts';
import { type AssetPreview, previewOf } from '../discovery/discovered-library.ts';
import { ConflictError, sentenceWithPaths } from '../failures.ts';
import { formatLibraryAddress, type LibraryAddress, libraryParams } from '../library/library-address.ts';
import { filesOf, refuseBrokenManifest } from '../library/manifest.ts';
import { cachedManifest, type RemoteLibrary } from '../library/read-library.ts';
import { describeRule, type SkippedPath } from '../tree/skipped-paths.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import { describeCarried, type LostArtifacts, lostThumbnails } from './carry.ts';
import { changesSince, changesTo } from './changes.ts';
import { freshContent, type Overwritten, type PushPlan } from './plan.ts';
import type { PlannedRevision } from './prepare.ts';
import type { ProposedText, PushSource, RevisionOptions } from './source.ts';
import { manifestSource, type Publication, type TransferOptions, uploadRevision } from './upload.ts';

/** Uploads what a revision needs, registers it, and records that the folder is in step with the library. */
export async function publishRevision(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  prepared: PlannedRevision,
  memory: FolderRecordStore,
  options: RevisionOptions,
): Promise<PushResult> {
  const { remote, folderRecord, unchanged } = prepared;
  const state = stateOf(prepared.local, rootFilesAmong(source.rootFiles));
  const inStep = { base: state, curation: mergeableText(source.found.curation) };
  const unchangedResult = async (row: LibraryDetail) => {
    memory.write(inStep);
    const now = await withVisibility(client, address, row, options);
    return resultOf('unchanged', address, source, prepared, now);
  };
  const { propose } = options;
  if (unchanged && remote !== null && (propose || !options.verify)) return unchangedResult(remote.row);
  await confirmRemovals(prepared.changes, options);
  if (propose) return proposeRevision(client, address, source, prepared, propose, options);
  if (folderRecord !== null && folderRecord !== 'damaged')
    memory.write({ ...folderRecord, published: state });
  const publication = publicationOf(source, prepared, options);
  const sent = await uploadRevision(client, address, publication, options);
  if (unchanged && remote !== null && sent.length === 0) return unchangedResult(remote.row);
  await options.beforeRegister?.();
  const { row, sha256 } = await registerRevision(client, address, publication, options);
  memory.write(inStep);
  const published = orderManifest(publication.manifest);
  const artifacts = [...publication.artifacts, ...publication.keptArtifacts].map(entryOf);
  const cached = cachedManifest(row, { sha256, manifest: published, artifacts });
  options.manifests?.write(client.baseUrl, address, cached, prepared.text);
  return resultOf('published', address, source, prepared, row, findReplacedPaths(sent, remote, unchanged));
}

/** Uploads what a revision needs, and keeps it as a proposal. The folder is no more in step with the library than before. */
async function proposeRevision(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  prepared: PlannedRevision,
  said: ProposedText,
  options: RevisionOptions,
): Promise<PushResult> {
  const { remote, text } = prepared;
  if (remote === null) {
    const library = formatLibraryAddress(address);
    throw new ConflictError(`${library} does not exist, or is lost: nothing can be proposed to it.`);
  }
  const publication = publicationOf(source, prepared, options);
  const proposal = await proposeChanges(client, address, { remote, text }, publication, said, options);
  return { ...resultOf('proposed', address, source, prepared, remote.row), proposal };
}

/**
 * Uploads what a revision needs that follows `remote`, and keeps it as a proposal. Returns its number. Throws
 * `ConflictError` if it changes more than a proposal can.
 */
export async function proposeChanges(
  client: LibraryClient,
  address: LibraryAddress,
  { remote, text }: { remote: RemoteLibrary; text?: string },
  publication: Publication,
  { title, message, authorCheck }: ProposedText,
  options: TransferOptions,
): Promise<number> {
  const composed = changesTo(remote, publication.manifest, text);
  if (composed === null) {
    const library = formatLibraryAddress(address);
    throw new ConflictError(`A proposal changes at most ${LIMITS.changes.max} assets of ${library}.`);
  }
  await uploadRevision(client, address, { ...publication, composed }, { ...options, proposes: true });
  const { number } = await client.call(routes.proposals.openProposal, {
    params: libraryParams(address),
    body: {
      ...{
        title,
        message: message || undefined,
        authorCheck,
        changes: composed.changes,
        manifestSha256: composed.sha256,
      },
      artifacts: publication.artifacts.map(entryOf),
    },
    ...(options.signal ? { signal: options.signal } : {}),
  });
  return number;
}

async function confirmRemovals(
  changes: PushPlan,
  { confirmRemovals: confirm }: RevisionOptions,
): Promise<void> {
  const { removedMetadata, withheld } = changes;
  if (removedMetadata.length + withheld.length === 0) return;
  if (confirm !== undefined) return confirm(changes);
  const lines = [
    ...removedMetadata.map(({ asset, keys }) => `${asset ?? 'the library'} (${keys.join(', ')})`),
    ...withheld.map((file) => `${file.path} (${describeRule(file)})`),
  ];
  throw new ConflictError(
    sentenceWithPaths('This push would remove texts, licences or left-out files of assets that stay:', lines),
    [...removedMetadata.map(({ asset }) => asset ?? 'the library'), ...withheld.map(({ path }) => path)],
  );
}

function publicationOf(
  source: PushSource,
  { manifest, text, remote, scope, head, newArtifacts, artifacts }: PlannedRevision,
  { verify, visibility }: RevisionOptions,
): Publication {
  const sendsAll = verify === true || scope === 'all';
  return {
    manifest,
    composed: remote === null || sendsAll ? null : changesSince(remote, manifest, text),
    files: freshContent(manifest, sendsAll ? null : (remote?.manifest ?? null)).map(source.open),
    artifacts: verify ? newArtifacts : artifacts.fresh,
    keptArtifacts: artifacts.kept,
    expectedRevision: head?.row.revision ?? 0,
    visibility,
    verify,
  };
}

/** Returns the sent paths whose content the previous revision had, and the manifest if the library is unchanged. */
function findReplacedPaths(
  sent: readonly UploadSource[],
  remote: RemoteLibrary | null,
  unchanged: boolean,
): string[] {
  if (remote === null) return [];
  const files = [...filesOf(remote.manifest.assets).values(), ...remote.artifacts.values()];
  const wanted = new Set(sent.map(({ sha256 }) => sha256));
  const held = new Set(files.flatMap(({ sha256 }) => (wanted.has(sha256) ? [sha256] : [])));
  return sent
    .filter(({ path, sha256 }) => held.has(sha256) || (unchanged && path === MANIFEST_PATH))
    .map(({ path }) => path);
}

async function withVisibility(
  client: LibraryClient,
  address: LibraryAddress,
  row: LibraryDetail,
  { visibility, signal }: RevisionOptions,
): Promise<LibraryDetail> {
  if (visibility === undefined || visibility === row.visibility) return row;
  return client.call(routes.libraries.patchLibrary, {
    params: libraryParams(address),
    body: { visibility },
    ...(signal ? { signal } : {}),
  });
}

/** Uploads a revision and registers it atomically. Returns the library after that. Throws `TreeError`. */
export async function publish(
  client: LibraryClient,
  address: LibraryAddress,
  publication: Publication,
  options: TransferOptions,
): Promise<LibraryDetail> {
  await refuseBrokenManifest(publication.manifest);
  await uploadRevision(client, address, publication, options);
  return (await registerRevision(client, address, publication, options)).row;
}

/** The library after a register, and the hash of its manifest. */
interface Registered {
  row: LibraryDetail;
  sha256: string;
}

/** Registers an uploaded revision. If the service does not make its manifest, that is sent first. */
async function registerRevision(
  client: LibraryClient,
  address: LibraryAddress,
  publication: Publication,
  options: TransferOptions,
): Promise<Registered> {
  const { manifest, composed } = publication;
  if (composed !== null) {
    const { changes, sha256: manifestSha256 } = composed;
    try {
      return await register(client, address, publication, { manifestSha256, changes }, options);
    } catch (error) {
      if (!needsManifest(error)) throw error;
      const manifestAlone = { ...publication, composed: null, files: [], artifacts: [] };
      await uploadRevision(client, address, manifestAlone, options);
    }
  }
  const { sha256: manifestSha256 } = manifestSource(manifest);
  return register(client, address, publication, { manifestSha256 }, options);
}

const NEEDS_MANIFEST: ReadonlySet<string> = new Set([
  'manifest_missing',
  'invalid_parameter',
  'content_lost',
]);

/** Whether the service knows no changes, makes another manifest of them, or has lost the one that they change. */
function needsManifest(error: unknown): boolean {
  return error instanceof ApiError && NEEDS_MANIFEST.has(error.code);
}

async function register(
  client: LibraryClient,
  address: LibraryAddress,
  { artifacts, keptArtifacts, expectedRevision, visibility }: Publication,
  stated: { manifestSha256: string; changes?: ManifestChanges },
  { signal }: TransferOptions,
): Promise<Registered> {
  // What changes do not name stays.
  const named = stated.changes === undefined ? [...artifacts, ...keptArtifacts] : artifacts;
  const row = await client.call(routes.libraries.registerLibrary, {
    params: libraryParams(address),
    body: {
      expectedRevision,
      ...stated,
      artifacts: named.map(entryOf),
      ...(visibility === undefined ? {} : { visibility }),
    },
    ...(signal ? { signal } : {}),
  });
  return { row, sha256: stated.manifestSha256 };
}

function entryOf({ path, size, sha256 }: ManifestFile): ManifestFile {
  return { path, size, sha256 };
}

export interface PushResult extends PushPlan {
  library: string;
  status: 'published' | 'proposed' | 'unchanged' | 'planned';
  /** The revision after the push. For a plan, the revision it was made against, 0 if there is no library. */
  revision: number;
  visibility: Visibility | null;
  /** The number of the proposal that it is kept as; null if it is none. */
  proposal: number | null;
  /** Why a push of this plan would be refused, if it would. */
  refusal: string | null;
  leftOut: SkippedPath[];
  /** How many assets of the revision have no licence, neither their own nor that of the library. */
  unlicensed: number;
  /** What the assets of the folder will be, and why; null unless this is a plan. */
  preview: AssetPreview[] | null;
  /** Null if none were requested. */
  certificates: CertificateReport | null;
  /** Null if none were requested. */
  thumbnails: ThumbnailReport | null;
  /** In a plan, how many assets have yet to be measured without being drawn; otherwise 0. */
  unmeasured: number;
  /** Null if no vectors were requested. */
  embeddings: EmbeddingReport | null;
  /** How many assets lost their thumbnail or vectors because they changed and no new ones were requested. */
  lost: LostArtifacts;
  /** Paths of files that the service had lost and that were sent again. */
  replaced: string[];
  /** What others had published and this replaced, or would, because that was forced. */
  overwritten: Overwritten[];
  /** Problems found here or by the service that did not stop the push. */
  warnings: string[];
}

/**
 * Builds the result of a plan. `row` is the current library, `replaced` what the service had lost and was sent again.
 */
export function resultOf(
  status: PushResult['status'],
  address: LibraryAddress,
  { found }: PushSource,
  {
    changes,
    carried,
    unchanged,
    refusal,
    overwritten,
    remote,
    manifest,
    certified,
    drawn,
    vectors,
  }: PlannedRevision,
  row: LibraryDetail | undefined,
  replaced: string[] = [],
): PushResult {
  return {
    library: formatLibraryAddress(address),
    status,
    revision: row?.revision ?? 0,
    visibility: row?.visibility ?? null,
    proposal: null,
    ...changes,
    unchanged,
    refusal: refusal?.message ?? null,
    leftOut: found.leftOut,
    unlicensed: manifest.assets.filter((asset) => !effectiveLicense(asset, manifest.library)).length,
    preview: status === 'planned' ? previewOf(describeCarried(found, carried)) : null,
    certificates: certified?.report ?? null,
    thumbnails: drawn?.report ?? null,
    unmeasured: drawn?.unmeasured ?? 0,
    embeddings: status === 'planned' ? withPicturesToDraw(vectors.report, drawn) : vectors.report,
    lost: {
      thumbnails: remote === null ? 0 : lostThumbnails(remote.manifest, manifest),
      vectors: vectors.lost,
    },
    replaced,
    overwritten,
    warnings: [...found.warnings, ...vectors.warnings, ...(row?.warnings ?? [])],
  };
}

/** For a plan, adds the pictures that have yet to be drawn, which will be encoded too. */
function withPicturesToDraw(
  report: EmbeddingReport | null,
  drawn: DrawnThumbnails | null,
): EmbeddingReport | null {
  if (report === null) return null;
  const { encoded, reused } = report.images;
  return { ...report, images: { encoded: encoded + (drawn?.pending ?? 0), reused } };
}
