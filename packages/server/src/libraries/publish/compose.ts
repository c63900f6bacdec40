import { LIMITS, MANIFEST_PATH, type ManifestChanges, type ManifestFile } from '@bindery/contract';
import type { LibraryAddress, LibraryRow, PublishTarget } from '../../access/libraries.ts';
import type { Context } from '../../context.ts';
import { changedMeanwhile, contentLost, ServiceError } from '../../errors.ts';
import { claimLibraryStore } from '../../objects/library-store.ts';
import { leaseObjects } from '../../objects/retention/doomed-objects.ts';
import { markForReclaim } from '../../objects/retention/retire.ts';
import { withQuotaNotifications } from '../quotas/quota.ts';
import { requireRoomForUploads } from '../quotas/room.ts';
import { manifestMissing } from './build.ts';
import { checkState, revisionConflict } from './commit.ts';
import { insertReceipts } from './receive.ts';
import type { ChangeJob } from './revision-workers.ts';

/** A manifest that the service has made and stored as if it had been uploaded. */
interface ComposedManifest {
  sha256: string;
  /** Platform artifacts that the changes put. */
  artifacts: ManifestFile[];
}

/** Has a worker apply changes to the current manifest of a library, and stores the result. Throws `manifest_too_large`. */
export async function composeNext(
  context: Context,
  target: PublishTarget & { row: LibraryRow },
  changes: ChangeJob['changes'],
  expected?: string,
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
  await storeAsUploaded(context, target, { path: MANIFEST_PATH, ...changed }, changed.manifest);
  return { sha256: changed.sha256, artifacts: changed.artifacts };
}

/** What a register with changes stands for. */
interface ComposedBody {
  expectedRevision: number;
  manifestSha256: string;
  isComposed: true;
}

/**
 * Applies the changes that a client registers instead of a manifest. Throws `revision_conflict` if they are not of the
 * current one, and `manifest_missing` if they make another one than the client says.
 */
export async function composeChanges(
  context: Context,
  { namespace, name, row }: PublishTarget,
  changes: ManifestChanges,
  {
    expectedRevision,
    manifestSha256,
  }: { expectedRevision?: number | undefined; manifestSha256?: string | undefined },
): Promise<ComposedBody> {
  checkState(row, expectedRevision);
  if (row === null || row.manifest_sha256 !== changes.base) throw revisionConflict(row?.revision ?? 0);
  if (row.manifest_layout !== 'current')
    throw manifestMissing('A manifest of the older layout cannot be changed. Upload the whole manifest.');
  const target = { namespace, name, row };
  const { sha256 } = await composeNext(context, target, { of: 'entries', entries: changes }, manifestSha256);
  return { expectedRevision: row.revision, manifestSha256: sha256, isComposed: true };
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
