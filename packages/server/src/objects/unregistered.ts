import type { Database } from '../database/schema.ts';
import { lockStore } from './library-store.ts';

/*
 * Sums of what stores have received for their next registers, in the rows of the stores. They change in the transactions
 * that change receipts and revisions, which hold these rows, so they are exact whoever is stopped. A receipt counts while
 * its number is above the library's `uploads_settled`.
 */

export interface Sums {
  files: number;
  bytes: number;
}

/** Returns what all libraries of a namespace have received for their next registers, or all except one. */
export async function unregisteredIn(
  db: Database,
  namespaceSlug: string,
  { except = '' }: { except?: string } = {},
): Promise<Sums> {
  const { files, bytes } = await db
    .selectFrom('library_names')
    .select(({ fn }) => [
      fn.sum<number | string | null>('unregistered_files').as('files'),
      fn.sum<number | string | null>('unregistered_bytes').as('bytes'),
    ])
    .where('namespace_slug', '=', namespaceSlug)
    .where('store_id', '!=', except)
    .executeTakeFirstOrThrow();
  return { files: Number(files ?? 0), bytes: Number(bytes ?? 0) };
}

/** The number of the last upload that belongs to a revision, or to none. */
export async function lastSettled(db: Database, storeId: string): Promise<number> {
  const row = await db
    .selectFrom('libraries')
    .select('uploads_settled')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return row?.uploads_settled ?? 0;
}

/** Changes the sums of a store, whose row the caller holds. */
export async function addUnregistered(trx: Database, storeId: string, { files, bytes }: Sums): Promise<void> {
  if (files === 0) return;
  await trx
    .updateTable('library_names')
    .set((eb) => ({
      unregistered_files: eb('unregistered_files', '+', files),
      unregistered_bytes: eb('unregistered_bytes', '+', bytes),
    }))
    .where('store_id', '=', storeId)
    .execute();
}

/** Computes the sums of a store anew, as part of a commit that settles uploads up to a number. */
export async function settleUnregistered(trx: Database, storeId: string, settled: number): Promise<void> {
  const { files, bytes } = await sumsAfter(trx, storeId, settled);
  await trx
    .updateTable('library_names')
    .set({ unregistered_files: files, unregistered_bytes: bytes })
    .where('store_id', '=', storeId)
    .execute();
}

async function sumsAfter(db: Database, storeId: string, settled: number): Promise<Sums> {
  const { files, bytes } = await db
    .selectFrom('upload_receipts')
    .select(({ fn }) => [
      fn.count<number | string>('counted').as('files'),
      fn.sum<number | string | null>('counted').as('bytes'),
    ])
    .where('store_id', '=', storeId)
    .where('number', '>', settled)
    .executeTakeFirstOrThrow();
  return { files: Number(files), bytes: Number(bytes ?? 0) };
}

/**
 * Returns whether the sums of a store are those of its receipts; `repair` corrects them. They are not if an older
 * release, which does not know of them, ran beside this one.
 */
export async function checkUnregistered(db: Database, storeId: string, repair: boolean): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const store = await lockStore(trx, storeId);
    if (store === null) return true;
    const settled = await lastSettled(trx, storeId);
    const { files, bytes } = await sumsAfter(trx, storeId, settled);
    if (files === store.unregistered_files && bytes === store.unregistered_bytes) return true;
    if (repair) await settleUnregistered(trx, storeId, settled);
    return false;
  });
}
