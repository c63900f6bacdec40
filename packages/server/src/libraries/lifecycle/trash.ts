import {
  type LibraryAddress,
  type LibraryRow,
  loadLibraryForWrite,
  lockLibraryForWrite,
} from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { Context, DatabaseContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { lockStore, newStoreId } from '../../objects/library-store.ts';
import { deleteStore } from '../../objects/retention/delete.ts';
import type { Reclaimed } from '../../objects/store.ts';
import { queueForSearch } from '../../outbox/queue-event.ts';

/** Moves an active library to the Trash, where no reader sees it. One that is already there counts as missing. */
export async function deleteLibrary(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<{ deletedAt: number }> {
  const deletedAt = clock();
  await db.transaction().execute(async (trx) => {
    const { row: library } = await lockLibraryForWrite(trx, viewer, address);
    const trashed = await trx
      .updateTable('libraries')
      .set((eb) => ({ state: 'deleted' as const, deleted_at: deletedAt, changes: eb('changes', '+', 1) }))
      .where('id', '=', library.id)
      .where('state', '=', 'active')
      .returning('id')
      .executeTakeFirst();
    if (!trashed) throw notFound();
    await recordAudit(trx, deletedAt, actorOf(viewer), {
      action: 'library.delete',
      namespace: { id: library.namespace_id, slug: address.namespace },
      target: address.name,
    });
  });
  return { deletedAt };
}

/** Restores a library from the Trash as it was. Throws `not_in_trash`. */
export async function restoreLibrary(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<LibraryRow> {
  return db.transaction().execute(async (trx) => {
    const { row: library } = await lockLibraryForWrite(trx, viewer, address);
    const row = await trx
      .updateTable('libraries')
      .set((eb) => ({
        state: 'active' as const,
        deleted_at: null,
        changes: eb('changes', '+', 1),
        updated_at: clock(),
      }))
      .where('id', '=', library.id)
      .where('state', '=', 'deleted')
      .returningAll()
      .executeTakeFirst();
    if (!row) throw notInTrash('There is nothing to restore.');
    await recordAudit(trx, row.updated_at, actorOf(viewer), {
      action: 'library.restore',
      namespace: { id: library.namespace_id, slug: address.namespace },
      target: address.name,
    });
    return row;
  });
}

function notInTrash(consequence: string): ServiceError {
  return new ServiceError('not_in_trash', `The library is not in the Trash. ${consequence}`);
}

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
      await queueForSearch(context, trx, id);
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
    .set({ store_id: newStoreId(), reclaim_due_at: null, unregistered_files: 0, unregistered_bytes: 0 })
    .where('store_id', '=', storeId)
    .execute();
  await trx.deleteFrom('library_usage').where('store_id', '=', storeId).execute();
  await trx.insertInto('dead_stores').values({ store_id: storeId }).execute();
}
