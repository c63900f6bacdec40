import { LIMITS, MANIFEST_PATH, type ManifestChanges, type ManifestFile } from '@bindery/contract';
import type { LibraryAddress, LibraryRow, PublishTarget } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import { changedMeanwhile, contentLost, ServiceError } from '../../errors.ts';
import { claimLibraryStore } from '../../objects/library-store.ts';
import { leaseObjects } from '../../objects/retention/doomed-objects.ts';
import { markForReclaim } from '../../objects/retention/retire.ts';
import { proposedPath } from '../../objects/uploads.ts';
import { packListInTurns } from '../../process/packed-list.ts';
import { withQuotaNotifications } from '../quotas/quota.ts';
import { requireRoomForUploads } from '../quotas/room.ts';
import { type ManifestSource, manifestMissing } from './build.ts';
import { checkState, revisionConflict } from './commit.ts';
import { insertReceipts } from './receive.ts';
import type { BuiltRevision, ChangeJob } from './revision-workers.ts';

/** A manifest that the service has made and stored as if it had been uploaded. */
interface ComposedManifest {
  sha256: string;
  size: number;
  /** Platform artifacts that the changes put. */
  artifacts: ManifestFile[];
}

/** Has a worker apply changes to the current manifest of a library, and stores the result. Throws `manifest_too_large`. */
export async function composeNext(
  context: Context,
  target: PublishTarget & { row: LibraryRow },
  changes: ChangeJob['changes'],
  expected?: string,
  path = MANIFEST_PATH,
): Promise<ComposedManifest> {
  const { store_id: storeId, manifest_sha256: sha256, manifest_size: size } = target.row;
  const changed = await context.revisionWorkers.change({
    manifest: { sha256, size, file: await context.objects.localFile({ storeId, sha256 }) },
    changes,
  });
  if (changed.kind === 'damaged') throw contentLost('the manifest of this library');
  if (expected !== undefined && expected !== changed.sha256)
    throw manifestMissing('The changes do not make the manifest with this hash. Upload the whole manifest.');
  if (changed.manifest.length > LIMITS.manifest.bytes)
    throw new ServiceError('manifest_too_large', 'The library has too many files.');
  await storeAsUploaded(context, target, { path, ...changed }, changed.manifest);
  return { sha256: changed.sha256, size: changed.manifest.length, artifacts: changed.artifacts };
}

/** What a register with changes stands for. */
interface ComposedBody {
  expectedRevision: number;
  manifest: ManifestSource;
  isComposed: true;
}

/** Returns the library whose current manifest is changed. Throws `revision_conflict` if the changes are of another one. */
export function requireBase(
  row: LibraryRow | null,
  { base }: ManifestChanges,
  expectedRevision: number | undefined,
): LibraryRow {
  checkState(row, expectedRevision);
  if (row === null || row.manifest_sha256 !== base) throw revisionConflict(row?.revision ?? 0);
  if (row.manifest_layout !== 'current')
    throw manifestMissing('A manifest of the older layout cannot be changed. Upload the whole manifest.');
  return row;
}

/**
 * Applies the changes that a client registers instead of a manifest. Throws `manifest_missing` if they make another one
 * than the client says.
 */
export async function composeChanges(
  context: Context,
  target: PublishTarget & { row: LibraryRow },
  changes: ManifestChanges,
  expected: string | undefined,
  isProposed = false,
): Promise<ComposedBody> {
  const path = isProposed ? proposedPath(MANIFEST_PATH) : MANIFEST_PATH;
  const entries = { of: 'entries', entries: changes } as const;
  const { sha256, size } = await composeNext(context, target, entries, expected, path);
  const manifest = { sha256, size, layout: 'current' } as const;
  return { expectedRevision: target.row.revision, manifest, isComposed: true };
}

/** Changes of a larger share of a library's assets take longer to splice than the whole takes. */
const MAX_SHARE = 1 / 8;

/** The next revision must be built as a whole. */
export class NotSpliced extends Error {
  override readonly name = 'NotSpliced';
}

/**
 * Has a worker make the next revision of the current one and its changes, without reading what does not change. The caller
 * holds the store. Throws `NotSpliced` if that is impossible, or if there is a reason to refuse it.
 */
export async function spliceChanges(
  { objects, revisionWorkers }: Context,
  library: LibraryRow | null,
  changes: ManifestChanges,
  {
    manifestSha256: sha256,
    artifacts = [],
  }: { manifestSha256?: string | undefined; artifacts?: ManifestFile[] | undefined },
): Promise<{ manifest: ManifestSource; revision: BuiltRevision }> {
  const { base, assets = [], removed = [] } = changes;
  if (library?.manifest_sha256 !== base || sha256 === undefined) throw new NotSpliced();
  const isLarge = assets.length + removed.length > MAX_SHARE * library.asset_count;
  if (isLarge || changes.library !== undefined) throw new NotSpliced();
  const named = async (sha256: string) => ({
    sha256,
    file: await objects.localFile({ storeId: library.store_id, sha256 }),
  });
  const outcome = await revisionWorkers.splice({
    manifest: { ...(await named(library.manifest_sha256)), size: library.manifest_size },
    index: await named(library.index_sha256),
    ...{ changes, sha256, artifacts: await packListInTurns(artifacts), cover: library.cover_asset },
  });
  if (outcome.kind === 'whole') throw new NotSpliced();
  const { manifest: made, revision } = outcome;
  return { manifest: { sha256, size: made.length, layout: 'current', made }, revision };
}

/** Stores bytes as if they had been uploaded for a path; those that no revision names are reclaimed later. */
export async function storeAsUploaded(
  context: Context,
  target: PublishTarget,
  { path, sha256 }: Pick<ManifestFile, 'path' | 'sha256'>,
  bytes: Uint8Array,
): Promise<ManifestFile> {
  const { db, objects, clock } = context;
  const library: LibraryAddress = { namespace: target.namespace.slug, name: target.name };
  const storeId = await claimLibraryStore(db, library);
  const file = { path, size: bytes.length, sha256 };
  await withQuotaNotifications(context, () => requireRoomForUploads(context, target, storeId, [file]));
  await objects.requireRoom(bytes.length);
  await markForReclaim(context, storeId);
  const leased = await leaseObjects(db, storeId, [file.sha256], clock());
  if (!leased.has(file.sha256)) throw changedMeanwhile();
  await objects.write(storeId, bytes);
  await insertReceipts({ db, clock }, [{ storeId, ...file }]);
  return file;
}
