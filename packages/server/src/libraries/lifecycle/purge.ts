import { type LibraryAddress, loadLibraryForWrite, lockLibraryForWrite } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { lockStore, newStoreId } from '../../objects/library-store.ts';
import { deleteStore } from '../../objects/retention/dead-stores.ts';
import type { Reclaimed } from '../../objects/store.ts';
import { notInTrash } from './trash.ts';

/**
 * Permanently deletes a library in the Trash: its row, history and bytes. Its name becomes free, with a new store; its
 * revision numbers continue. Throws `not_in_trash`.
 */
export async function purgeLibrary(
  context: Context,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<Reclaimed> {
  const { row } = await loadLibraryForWrite(context.db, viewer, address);
  const { id, store_id } = row;
  return context.storeLocks.withLock(store_id, async () => {
    await context.db.transaction().execute(async (trx) => {
      await lockLibraryForWrite(trx, viewer, address);
      await lockStore(trx, store_id);
      await deleteRows(trx, id, store_id);
      await recordAudit(trx, context.clock(), actorOf(viewer), {
        action: 'library.purge',
        namespace: { id: row.namespace_id, slug: address.namespace },
        target: address.name,
      });
    });
    return deleteStore(context, store_id);
  });
}

/** Deletes the library. From here on no library owns the store; reclaim deletes what a crash leaves of it. */
async function deleteRows(trx: Database, id: string, storeId: string): Promise<void> {
  const deleted = await trx
    .deleteFrom('libraries')
    .where('id', '=', id)
    .where('state', '=', 'deleted')
    .returning('id')
    .executeTakeFirst();
  if (!deleted) throw notInTrash('Delete it first.');
  await trx
    .updateTable('library_names')
    .set({ store_id: newStoreId(), reclaim_due_at: null })
    .where('store_id', '=', storeId)
    .execute();
  await trx.deleteFrom('library_usage').where('store_id', '=', storeId).execute();
  await trx.insertInto('dead_stores').values({ store_id: storeId }).execute();
}
