import type { DatabaseContext } from '../../context.ts';
import type { Reclaimed } from '../store.ts';
import { deleteDeadStores } from './dead-stores.ts';
import { deleteAbandonedUploads } from './delete-abandoned.ts';
import { restoreInterrupted } from './delete-doomed.ts';
import { reclaimStore } from './reclaim.ts';
import type { ReclaimParts } from './start-reclaim.ts';

/** Reclaims every store now, due or not. Unlike a background pass, throws if one fails. */
export async function collectGarbage(context: ReclaimParts): Promise<Reclaimed> {
  await deleteAbandonedUploads(context);
  await deleteDeadStores(context);
  await restoreInterrupted(context);
  const freed: Reclaimed = { objects: 0, bytes: 0 };
  for (const { store_id: storeId, reclaim_marks: marks } of await allStores(context)) {
    const { objects, bytes } = await reclaimStore(context, { storeId, marks });
    freed.objects += objects;
    freed.bytes += bytes;
  }
  return freed;
}

/** Makes every store due, so that the next passes of the service check it. */
export async function makeAllDue({ db, clock }: DatabaseContext): Promise<void> {
  await db
    .updateTable('library_names')
    .set((eb) => ({ reclaim_marks: eb('reclaim_marks', '+', 1), reclaim_due_at: clock() }))
    .execute();
}

/** Returns the store of every library that exists or existed. */
export async function allStores({ db }: DatabaseContext) {
  return db.selectFrom('library_names').select(['store_id', 'reclaim_marks']).orderBy('store_id').execute();
}
