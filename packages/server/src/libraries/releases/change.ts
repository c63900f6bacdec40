import { type BodyOf, LIMITS, type Release, type routes } from '@bindery/contract';
import {
  findRevision,
  type LibraryAddress,
  loadLibraryForWrite,
  lockLibraryForWrite,
  type RevisionRow,
  revisionColumns,
} from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { MaintenanceContext } from '../../context.ts';
import { countRows } from '../../database/queries.ts';
import type { Database } from '../../database/schema.ts';
import { changedMeanwhile, notFound, ServiceError } from '../../errors.ts';
import { countReleaseChange, lockStore } from '../../objects/library-store.ts';
import {
  documentsAreStored,
  makeWhole,
  type OpenedRevision,
  openRevision,
  unlessContentLost,
} from '../../objects/open-revision.ts';
import { documentsOf } from '../../objects/references.ts';
import { isBeingDeleted, unmarkPending } from '../../objects/retention/doomed-objects.ts';
import { afterGrace, marked, retire } from '../../objects/retention/retire.ts';
import { revisionConflict } from '../publish/commit.ts';
import { findKeptRevision } from '../read/revisions.ts';
import { describeRelease, findRelease } from './read.ts';

/**
 * Creates a release: a name for the current revision of an active library, or for an earlier one that is kept. No object
 * of a current revision is pending deletion, and those of an earlier one no longer are; from here on, no reclaim pass
 * that began earlier marks anything. A request that names its revision can be repeated: the release that it made is the
 * answer. Throws the errors that the route lists.
 */
export async function createRelease(
  context: MaintenanceContext,
  viewer: Viewer,
  address: LibraryAddress,
  { name, notes, revision }: BodyOf<typeof routes.releases.createRelease>,
): Promise<Release> {
  const { db, clock } = context;
  const { accountId, userName } = requireAccount(viewer);
  const earlier = revision === undefined ? null : await openEarlier(context, viewer, address, revision);
  return db.transaction().execute(async (trx) => {
    const found = await lockLibraryForWrite(trx, viewer, address);
    await lockStore(trx, found.row.store_id);
    // Read again: a register may have replaced it before the lock was taken.
    const row = await findRevision(trx, found.row);
    if (row?.state !== 'active' || row.store_id !== found.row.store_id) throw notFound();
    const existing = await findRelease(trx, found, name);
    if (existing !== null) {
      const isSame = existing.revision === revision && (notes ?? existing.notes) === existing.notes;
      if (isSame) return existing;
      throw releaseExists(name);
    }
    const isEarlier = revision !== undefined && revision !== row.revision;
    if (isEarlier) await keepEarlier(context, trx, { row, earlier });
    const named = isEarlier && earlier !== null ? earlier.row : row;
    await requireRoom(trx, row.store_id);
    const release = {
      ...revisionColumns(named),
      store_id: row.store_id,
      name,
      notes: notes ?? null,
      created_by: accountId,
      created_at: clock(),
    };
    await trx.insertInto('releases').values(release).execute();
    await countReleaseChange(trx, row.store_id);
    await recordAudit(trx, release.created_at, actorOf(viewer), {
      action: 'release.create',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: `${address.name}@${name}`,
      details: { revision: named.revision },
    });
    return describeRelease(release, userName);
  });
}

/** Opens a revision that may no longer be the current one; null if it is, or if it is not kept. */
async function openEarlier(
  context: MaintenanceContext,
  viewer: Viewer,
  address: LibraryAddress,
  revision: number,
): Promise<OpenedRevision | null> {
  const { row: library } = await loadLibraryForWrite(context.db, viewer, address);
  if (library.revision === revision) return null;
  const row = await findKeptRevision(context, library, revision);
  if (row === null || row.isRetired === 'undescribed') return null;
  return unlessContentLost(makeWhole(context, row).then((whole) => openRevision(context, whole)));
}

/**
 * Makes sure that nothing of an earlier revision is being deleted, or will be. Throws `revision_conflict` if it is no
 * longer kept, and `unavailable` if that is about to change.
 */
async function keepEarlier(
  context: MaintenanceContext,
  trx: Database,
  { row, earlier }: { row: RevisionRow; earlier: OpenedRevision | null },
): Promise<void> {
  if (earlier === null || earlier.row.store_id !== row.store_id) throw revisionConflict(row.revision);
  const { row: named, index } = earlier;
  const kept = await findKeptRevision({ ...context, db: trx }, row, named.revision);
  if (kept === null) throw revisionConflict(row.revision);
  const documents = documentsOf(named);
  const isNamed = (sha256: string) =>
    documents.includes(sha256) || index.files.sizeOfContent(sha256) !== null;
  await unmarkPending(trx, row.store_id, isNamed);
  if (await isBeingDeleted(trx, row.store_id, isNamed)) throw changedMeanwhile();
  const isMade = named.differences !== undefined;
  if (isMade && !(await documentsAreStored(context.objects, named))) throw changedMeanwhile();
}

async function requireRoom(trx: Database, storeId: string): Promise<void> {
  const total = await countRows(trx.selectFrom('releases').where('store_id', '=', storeId));
  if (total < LIMITS.releases) return;
  throw new ServiceError(
    'too_many_releases',
    `The library has ${LIMITS.releases} releases, the maximum. Delete some first.`,
  );
}

function releaseExists(name: string): ServiceError {
  return new ServiceError(
    'release_exists',
    `The library already has a release "${name}". A release never changes: choose another name.`,
  );
}

/** Deletes a release. As for a replaced revision, unreferenced objects are deleted after the grace period. */
export async function deleteRelease(
  { db, clock, configuration }: MaintenanceContext,
  viewer: Viewer,
  { release: name, ...address }: LibraryAddress & { release: string },
): Promise<void> {
  const now = clock();
  await db.transaction().execute(async (trx) => {
    const { row } = await lockLibraryForWrite(trx, viewer, address);
    if (row.state !== 'active') throw notFound();
    await lockStore(trx, row.store_id);
    const release = await trx
      .deleteFrom('releases')
      .where('store_id', '=', row.store_id)
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst();
    if (!release) throw notFound();
    await retire(trx, release, now);
    await countReleaseChange(trx, row.store_id);
    await trx
      .updateTable('library_names')
      .set(marked(afterGrace(configuration, now)))
      .where('store_id', '=', row.store_id)
      .execute();
    await recordAudit(trx, now, actorOf(viewer), {
      action: 'release.delete',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: `${address.name}@${name}`,
      details: { revision: release.revision },
    });
  });
}
