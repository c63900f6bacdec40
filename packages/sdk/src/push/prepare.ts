import { hash } from 'node:crypto';
import type { Manifest, ManifestFile } from '@bindery/contract';
import { manifestText, orderManifest } from '@bindery/contract/wire';
import { type MadeCertificates, withCertificates } from '../artifacts/certificates.ts';
import { type DrawnThumbnails, largePictures, withThumbnails } from '../artifacts/thumbnails.ts';
import type { PreparedVectors } from '../artifacts/vectors.ts';
import { type FolderRecordStore, rootFilesAmong } from '../base/library-state.ts';
import type { LibraryClient } from '../client/call.ts';
import { ApiError } from '../client/errors.ts';
import type { LibraryAddress } from '../library/library-address.ts';
import { refuseBrokenManifest } from '../library/manifest.ts';
import type { LibraryHead, RemoteLibrary } from '../library/read-library.ts';
import { isRevisionConflict } from '../library/read-library.ts';
import type { UploadSource } from '../tree/upload-source.ts';
import {
  type CarriedMetadata,
  carryDrawn,
  divideArtifacts,
  findCarriedMetadata,
  mergeRemoteAssets,
  NO_METADATA,
  withCarriedMetadata,
} from './carry.ts';
import { asHeld, findUndone, type Overwritten, type PushPlan, planPush, refuseUnknownItems } from './plan.ts';
import type { PushSource, RevisionOptions } from './source.ts';
import { findHead, lostManifestError, readTarget, refuseTrashed } from './target.ts';
import { requireWriteAccess } from './upload.ts';

/** What to upload: what the last revision lacks or, if the store has lost some of that one, all. */
export type UploadScope = 'missing' | 'all';

/** What to upload in another attempt if somebody else registered first or the store lost content; otherwise null. */
export function scopeOfRetry(error: unknown): UploadScope | null {
  if (isRevisionConflict(error)) return 'missing';
  return error instanceof ApiError && MAY_BE_LOST.has(error.code) ? 'all' : null;
}

const MAY_BE_LOST: ReadonlySet<string> = new Set(['files_missing', 'content_mismatch', 'manifest_missing']);

/** The next revision of a library, with everything that was made for it and its changes from the current one. */
export interface PreparedRevision {
  scope: UploadScope;
  /** Null if the library does not exist yet. */
  head: LibraryHead | null;
  /** Null if the library does not exist yet, or its manifest is lost. */
  remote: RemoteLibrary | null;
  folderRecord: ReturnType<FolderRecordStore['read']>;
  /** Why a push would be refused; only set in a dry run, since otherwise it is thrown. */
  refusal: Error | null;
  /** What others published and this replaces, because that is forced. */
  overwritten: Overwritten[];
  /** The manifest of the folder alone, with what it leaves to the library. */
  local: Manifest;
  /** What `local` takes from the library. */
  carried: CarriedMetadata;
  /** In the order of its text, with the very entries of the library's where both state the same. */
  manifest: Manifest;
  /** The text of the manifest; absent if it is that of the library. */
  text: string | undefined;
  manifestSha256: string;
  certified: MadeCertificates | null;
  drawn: DrawnThumbnails | null;
  vectors: PreparedVectors;
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
): Promise<PreparedRevision> {
  const { found, draw } = source;
  const head = await findHead(client, address, options.signal);
  if (head === null && options.dryRun) await refuseTrashed(client, address, options.signal);
  // Said before anything is compared, drawn or asked: a conflict means nothing to somebody who cannot push.
  if (head?.row.viewerCanManage === false && !options.dryRun)
    await requireWriteAccess(client, address, options.signal);
  const remote = head && (await readTarget(client, address, head, source, options));
  const carried =
    remote === null
      ? NO_METADATA
      : await findCarriedMetadata(
          client,
          address,
          { local: source.local, curation: found.curation },
          remote,
          options.signal,
        );
  const described = withCarriedMetadata(source.local, carried);
  const local = remote === null ? described : carryDrawn(described, remote.manifest, largePictures(found));
  const folderRecord = memory.read();
  const { force = false } = options;
  refuseUnknownItems(force, [local, ...(remote === null ? [] : [remote.manifest])]);
  const undone = findUndone(
    { manifest: local, rootFiles: rootFilesAmong(source.rootFiles) },
    remote,
    folderRecord,
    force,
  );
  const isLost = head !== null && remote === null && force !== true;
  const refusal = isLost ? lostManifestError(address) : undone.refusal;
  if (refusal !== null && !options.dryRun) {
    await requireWriteAccess(client, address, options.signal);
    if (folderRecord !== null && folderRecord !== 'damaged')
      memory.write({ ...folderRecord, told: undone.told });
    throw refusal;
  }

  if (source.generatesArtifacts && !options.dryRun) await requireWriteAccess(client, address, options.signal);
  const certified = await source.certify(source.local);
  const drawn = await draw(source.local, local);
  const whole =
    remote === null || options.coverage !== 'part' ? local : mergeRemoteAssets(local, remote.manifest);
  const pictured = withCertificates(withThumbnails(whole, drawn), certified);
  const thumbnails = [...(drawn?.sources.values() ?? [])];
  const vectors = await source.embed(
    client,
    address,
    { manifest: pictured, newArtifacts: thumbnails },
    remote,
  );
  const manifest =
    remote === null ? orderManifest(vectors.manifest) : asHeld(vectors.manifest, remote.manifest);
  const newArtifacts = [
    ...source.rootFiles,
    ...(certified?.sources ?? []),
    ...thumbnails,
    ...vectors.sources,
  ];
  const artifacts = divideArtifacts(manifest, newArtifacts, scope === 'missing' ? remote : null);
  const changes = planPush(manifest, remote?.manifest ?? null, found.leftOut);
  const text = changes.unchanged ? undefined : manifestText(manifest);
  if (text !== undefined) await refuseBrokenManifest(manifest, text);
  const toMake = options.dryRun === true && (hasWork(drawn, vectors) || (certified?.pending ?? 0) > 0);
  const unchanged = changes.unchanged && scope === 'missing' && artifacts.fresh.length === 0 && !toMake;
  return {
    scope,
    head,
    remote,
    folderRecord,
    refusal,
    overwritten: undone.overwritten,
    local,
    carried,
    manifest,
    text,
    manifestSha256: text === undefined ? (remote?.manifestSha256 ?? '') : hash('sha256', text),
    certified,
    drawn,
    vectors,
    newArtifacts,
    artifacts,
    changes,
    unchanged,
  };
}

function hasWork(drawn: DrawnThumbnails | null, { report }: PreparedVectors): boolean {
  const pictures = (drawn?.report?.rendered ?? 0) + (drawn?.unmeasured ?? 0);
  return pictures > 0 || (report !== null && report.images.encoded + report.texts.encoded > 0);
}
