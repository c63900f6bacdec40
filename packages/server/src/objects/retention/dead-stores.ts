import type { Context, MaintenanceContext } from '../../context.ts';
import type { Reclaimed } from '../store.ts';
import { deleteSettledReceipts, mayStillArrive } from '../uploads.ts';

type StoreParts = MaintenanceContext & {
  smallThumbnails: Pick<Context['smallThumbnails'], 'deleteStore'>;
};

/**
 * Deletes the bytes of a purged library's store, then its rows. Can be repeated, and is repeated as long as presigned
 * URLs may bring in more bytes past the service.
 */
export async function deleteStore(
  { db, objects, smallThumbnails }: StoreParts,
  storeId: string,
): Promise<Reclaimed> {
  const freed = await objects.deleteStore(storeId);
  await smallThumbnails.deleteStore(storeId);
  await deleteSettledReceipts({ db, storeId }, Number.MAX_SAFE_INTEGER);
  await db.deleteFrom('releases').where('store_id', '=', storeId).execute();
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
export async function deleteDeadStores(context: StoreParts): Promise<void> {
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
