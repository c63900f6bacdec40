import type { Reclaimed } from '../../objects/store.ts';
import type { Parts } from '../../parts.ts';
import { deleteSettledReceipts } from '../register/receipts.ts';
import { mayStillArrive } from '../uploads/direct-uploads.ts';

type StoreParts = Pick<Parts, 'db' | 'objects'> & {
  smallThumbnails: Pick<Parts['smallThumbnails'], 'deleteStore'>;
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
export async function deleteDeadStores(parts: StoreParts): Promise<void> {
  const stores = await parts.db.selectFrom('dead_stores').select('store_id').execute();
  for (const { store_id } of stores) await deleteStore(parts, store_id);
}
