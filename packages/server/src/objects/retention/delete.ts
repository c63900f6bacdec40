import { randomBytes } from 'node:crypto';
import type { Context, MaintenanceContext } from '../../context.ts';
import { clearDamaged } from '../health/damage.ts';
import type { Reclaimed } from '../store.ts';
import { deleteSettledReceipts, mayStillArrive } from '../uploads.ts';
import { beginDeleting, endDeleting, stillDeleting, takeOverDeletions } from './doomed-objects.ts';
import { marked } from './retire.ts';

/** Deletes objects that nothing has referred to since `before`, in batches, while no register of the library runs. */
export async function deletePending(
  context: MaintenanceContext,
  storeId: string,
  before: number,
): Promise<Reclaimed> {
  const { db, storeLocks } = context;
  const { freed } = await storeLocks.withLock(storeId, () => finishDeletions(context, storeId));
  for (;;) {
    const batch = await storeLocks.withLock(storeId, async () => {
      const deleter = newDeleter();
      const hashes = await beginDeleting(db, storeId, deleter, before);
      return hashes.length === 0 ? null : deleteObjects(context, storeId, hashes, deleter);
    });
    if (batch === null) return freed;
    freed.objects += batch.objects;
    freed.bytes += batch.bytes;
  }
}

/**
 * Finishes deletions that another process began. If that process resumes, it finds that they are no longer its own. As
 * long as `library_names.deletions` is still `deletions`, nobody else has deleted anything since.
 */
export async function finishDeletions(
  context: MaintenanceContext,
  storeId: string,
): Promise<{ freed: Reclaimed; deletions: number }> {
  const deleter = newDeleter();
  const { hashes, deletions } = await takeOverDeletions(context.db, storeId, deleter);
  const nothing = { objects: 0, bytes: 0 };
  const freed = hashes.length === 0 ? nothing : await deleteObjects(context, storeId, hashes, deleter);
  return { freed, deletions };
}

/**
 * Restores objects that a process hid although it no longer owned their deletion, and did not restore before it
 * stopped.
 */
export async function restoreInterrupted({ db, objects }: MaintenanceContext): Promise<void> {
  await objects.restoreInterrupted(async ({ storeId, sha256 }) => {
    const isDeleted = (await stillDeleting(db, storeId, [sha256])).has(sha256);
    if (!isDeleted) await searchAgain(db, storeId);
    return isDeleted;
  });
}

async function deleteObjects(
  context: MaintenanceContext,
  storeId: string,
  hashes: readonly string[],
  deleter: string,
): Promise<Reclaimed> {
  const { db, objects } = context;
  const freed = await objects.delete(storeId, hashes, async (some) => {
    const own = await stillDeleting(db, storeId, some, deleter);
    if (own.size < some.length) await searchAgain(db, storeId);
    return own;
  });
  await clearDamaged(context.db, storeId, [...(await stillDeleting(db, storeId, hashes, deleter))]);
  await endDeleting(db, storeId, hashes, deleter);
  return freed;
}

/**
 * Makes the store due: nothing may refer to a restored object, and the process that took over its deletion may have
 * finished searching by then.
 */
async function searchAgain(db: Context['db'], storeId: string): Promise<void> {
  await db.updateTable('library_names').set(marked(0)).where('store_id', '=', storeId).execute();
}

/** Returns a unique name for a deletion, to distinguish two deletions of the same object. */
function newDeleter(): string {
  return randomBytes(9).toString('base64url');
}

/** Deleting a store also deletes the derived files that this machine has of it. */
export type ReclaimContext = MaintenanceContext & {
  smallThumbnails: Pick<Context['smallThumbnails'], 'deleteStore'>;
  conversions: Pick<Context['conversions'], 'deleteStore'>;
  gitCommits: Pick<Context['gitCommits'], 'deleteStore'>;
  blendFiles: Pick<Context['blendFiles'], 'deleteStore'>;
};

/**
 * Deletes the bytes of a purged library's store, then its rows. Can be repeated, and is repeated as long as presigned
 * URLs may bring in more bytes past the service.
 */
export async function deleteStore(
  { db, objects, smallThumbnails, conversions, gitCommits, blendFiles }: ReclaimContext,
  storeId: string,
): Promise<Reclaimed> {
  const freed = await objects.deleteStore(storeId);
  await smallThumbnails.deleteStore(storeId);
  await conversions.deleteStore(storeId);
  await gitCommits.deleteStore(storeId);
  await blendFiles.deleteStore(storeId);
  await deleteSettledReceipts({ db, storeId }, Number.MAX_SAFE_INTEGER);
  await db.deleteFrom('releases').where('store_id', '=', storeId).execute();
  await db.deleteFrom('proposals').where('store_id', '=', storeId).execute();
  await db.deleteFrom('proposal_comments').where('store_id', '=', storeId).execute();
  await db.deleteFrom('proposal_checks').where('store_id', '=', storeId).execute();
  await db.deleteFrom('signatures').where('store_id', '=', storeId).execute();
  await db.deleteFrom('image_layers').where('store_id', '=', storeId).execute();
  await db.deleteFrom('image_documents').where('store_id', '=', storeId).execute();
  await db.deleteFrom('use_counts').where('store_id', '=', storeId).execute();
  await db.deleteFrom('register_log').where('store_id', '=', storeId).execute();
  await db.deleteFrom('retired_revisions').where('store_id', '=', storeId).execute();
  await db.deleteFrom('doomed_objects').where('store_id', '=', storeId).execute();
  await db.deleteFrom('damaged_objects').where('store_id', '=', storeId).execute();
  await db.deleteFrom('multipart_uploads').where('store_id', '=', storeId).execute();
  await db.deleteFrom('unregistered_bytes').where('store_id', '=', storeId).execute();
  if (await mayStillArrive(db, storeId)) return freed;
  await db.deleteFrom('dead_stores').where('store_id', '=', storeId).execute();
  return freed;
}

/** Finishes purges that a crash interrupted. */
export async function deletePurgedStores(context: ReclaimContext): Promise<void> {
  const stores = await context.db.selectFrom('dead_stores').select('store_id').execute();
  for (const { store_id } of stores) await deleteStore(context, store_id);
}

/**
 * Runs `work`, which stores objects under the lock of their store. If it fails because the library was purged meanwhile,
 * which takes a lost lock, deletes what it has stored since. A pass finishes that if it is interrupted.
 */
export async function deletingIfPurged<Result>(
  { db, objects, log }: MaintenanceContext,
  storeId: string,
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    try {
      if (await isPurged(db, storeId)) {
        await db
          .insertInto('dead_stores')
          .values({ store_id: storeId })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
        // Not left to a pass alone: the purge may be about to delete the row, and may have deleted the objects before.
        await objects.deleteStore(storeId);
      }
    } catch (err) {
      log.error({ err, storeId }, 'objects that were stored during a purge could not be deleted');
    }
    throw error;
  }
}

async function isPurged(db: Context['db'], storeId: string): Promise<boolean> {
  const row = await db
    .selectFrom('library_names')
    .select('name')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return row === undefined;
}
