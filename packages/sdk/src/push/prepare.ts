import { hash } from 'node:crypto';
import type { Manifest, ManifestFile } from '@bindery/contract';
import { manifestText, orderManifest } from '@bindery/contract/wire';
import { type MadeCertificates, withCertificates } from '../artifacts/certificates.ts';
import { type DrawnThumbnails, withThumbnails } from '../artifacts/thumbnails.ts';
import type { PreparedVectors } from '../artifacts/vectors.ts';
import { type FolderRecordStore, rootFilesAmong } from '../base/library-state.ts';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { refuseBrokenManifest } from '../library/manifest.ts';
import type { LibraryHead, RemoteLibrary } from '../library/read-library.ts';
import { isRevisionConflict } from '../library/read-library.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import { type CarriedMetadata, carryOver, divideArtifacts, mergeRemoteAssets } from './carry.ts';
import { asHeld, findUndone, type Overwritten, type PushPlan, planPush, refuseUnknownItems } from './plan.ts';
import type { PushSource, RevisionOptions } from './source.ts';
import { findHead, lostManifestError, readTarget } from './target.ts';
import { requireWriteAccess } from './upload.ts';

/** What to upload: what the last revision lacks or, if the store has lost some of that one, all. */
export type UploadScope = 'missing' | 'all';

/** What to upload in another attempt if somebody else registered first or the store lost content; otherwise null. */
export function scopeOfRetry(error: unknown): UploadScope | null {
  if (isRevisionConflict(error)) return 'missing';
  return error instanceof ApiError && MAY_BE_LOST.has(error.code) ? 'all' : null;
}

const MAY_BE_LOST: ReadonlySet<string> = new Set(['files_missing', 'content_mismatch', 'manifest_missing']);

/** A folder beside the library as it is. */
interface Compared {
  /** Null if the library does not exist yet. */
  head: LibraryHead | null;
  /** Null if the library does not exist yet, or its manifest is lost. */
  remote: RemoteLibrary | null;
  folderRecord: ReturnType<FolderRecordStore['read']>;
  /** The manifest of the folder alone, with what it leaves to the library. */
  local: Manifest;
  /** What `local` takes from the library. */
  carried: CarriedMetadata;
  /** Why a push would be refused; only set in a dry run, since otherwise it is thrown. */
  refusal: Error | null;
  /** What others published and this replaces, because that is forced. */
  overwritten: Overwritten[];
}

/** What was made for the next revision; null where that was not requested. */
interface Made {
  certified: MadeCertificates | null;
  drawn: DrawnThumbnails | null;
  /** With the manifest in which all three are declared. */
  vectors: PreparedVectors;
}

/** The next revision of a library: how it comes about, and its changes from the current one. */
export interface PlannedRevision extends Compared, Made {
  scope: UploadScope;
  /** In the order of its text, with the very entries of the library's where both state the same. */
  manifest: Manifest;
  /** The text of the manifest; absent if it is that of the library. */
  text: string | undefined;
  manifestSha256: string;
  /** Platform artifacts made for it. `artifacts` has those that the library lacks, and others that it keeps. */
  newArtifacts: UploadSource[];
  artifacts: { fresh: UploadSource[]; kept: ManifestFile[] };
  changes: PushPlan;
  /** Whether there is nothing to send or make. */
  unchanged: boolean;
}

/** Compares a folder with the current library and makes what the next revision needs. Does not change the library. */
export async function prepareRevision(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  memory: FolderRecordStore,
  options: RevisionOptions,
  scope: UploadScope,
): Promise<PlannedRevision> {
  const compared = await compare(client, address, source, memory, options);
  const made = await make(client, address, source, compared, options);
  return planRevision(source, compared, made, options, scope);
}

async function compare(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  memory: FolderRecordStore,
  options: RevisionOptions,
): Promise<Compared> {
  const { force = false, dryRun = false, signal } = options;
  const proposes = options.propose !== undefined;
  const head = await findHead(client, address, options);
  const remote = head && (await readTarget(client, address, head, source, options));
  const { local, carried } = await carryOver(client, address, source, remote, signal);
  const folderRecord = memory.read();
  refuseUnknownItems(force, [local, ...(remote === null ? [] : [remote.manifest])]);
  const rootFiles = rootFilesAmong(source.rootFiles);
  // What the library alone has is no change of this push, nor is what it is told to remove a change of others.
  const beside = remote && { ...remote, manifest: withoutRemoved(remote.manifest, options) };
  const manifest =
    beside === null || options.coverage !== 'part' ? local : mergeRemoteAssets(local, beside.manifest);
  const undone = findUndone({ manifest, rootFiles }, beside, folderRecord, force);
  const isLost = head !== null && remote === null && force !== true;
  const refusal = isLost ? lostManifestError(address) : undone.refusal;
  if (refusal !== null && !dryRun) {
    await requireWriteAccess(client, address, { signal, proposes });
    if (folderRecord !== null && folderRecord !== 'damaged')
      memory.write({ ...folderRecord, told: undone.told });
    throw refusal;
  }
  return { head, remote, folderRecord, local, carried, refusal, overwritten: undone.overwritten };
}

async function make(
  client: LibraryClient,
  address: LibraryAddress,
  source: PushSource,
  { remote, local }: Compared,
  options: RevisionOptions,
): Promise<Made> {
  const { coverage, dryRun, signal, propose } = options;
  if (source.generatesArtifacts && !dryRun)
    await requireWriteAccess(client, address, { signal, proposes: propose !== undefined });
  const certified = await source.certify(source.local);
  const drawn = await source.draw(source.local, local);
  const whole =
    remote === null || coverage !== 'part'
      ? local
      : mergeRemoteAssets(local, withoutRemoved(remote.manifest, options));
  const next = {
    manifest: withCertificates(withThumbnails(whole, drawn), certified),
    newArtifacts: [...(drawn?.sources.values() ?? [])],
  };
  return { certified, drawn, vectors: await source.embed(client, address, next, remote) };
}

function withoutRemoved(manifest: Manifest, { removed }: Pick<RevisionOptions, 'removed'>): Manifest {
  if (removed === undefined || removed.size === 0) return manifest;
  return { ...manifest, assets: manifest.assets.filter(({ id }) => !removed.has(id)) };
}

/** Throws `TreeError` if what was made yields an invalid manifest. */
export async function planRevision(
  { rootFiles, found }: PushSource,
  compared: Compared,
  made: Made,
  { dryRun = false }: RevisionOptions,
  scope: UploadScope,
): Promise<PlannedRevision> {
  const { remote } = compared;
  const { certified, drawn, vectors } = made;
  const manifest =
    remote === null ? orderManifest(vectors.manifest) : asHeld(vectors.manifest, remote.manifest);
  const pictures = drawn?.sources.values() ?? [];
  const newArtifacts = [...rootFiles, ...(certified?.sources ?? []), ...pictures, ...vectors.sources];
  const artifacts = divideArtifacts(manifest, newArtifacts, scope === 'missing' ? remote : null);
  const changes = planPush(manifest, remote?.manifest ?? null, found.leftOut);
  const text = changes.unchanged ? undefined : manifestText(manifest);
  if (text !== undefined) await refuseBrokenManifest(manifest, text);
  const manifestSha256 = text === undefined ? (remote?.manifestSha256 ?? '') : hash('sha256', text);
  const toMake = dryRun && hasWork(made);
  const unchanged = changes.unchanged && scope === 'missing' && artifacts.fresh.length === 0 && !toMake;
  const plan = { scope, manifest, text, manifestSha256, newArtifacts, artifacts, changes, unchanged };
  return { ...compared, ...made, ...plan };
}

function hasWork({ certified, drawn, vectors: { report } }: Made): boolean {
  const pictures = (drawn?.report?.rendered ?? 0) + (drawn?.unmeasured ?? 0);
  const encoded = report === null ? 0 : report.images.encoded + report.texts.encoded;
  return pictures + encoded + (certified?.pending ?? 0) > 0;
}
