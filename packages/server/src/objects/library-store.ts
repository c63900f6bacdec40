import { randomBytes } from 'node:crypto';
import type { Selectable } from 'kysely';
import type { LibraryAddress } from '../access/libraries.ts';
import type { Database } from '../database/schema.ts';
import type { LibraryNamesTable } from '../database/tables/libraries.ts';

/** The store of a library's name; null if the name has never been used. */
export async function findLibraryStore(
  db: Database,
  { namespace, name }: LibraryAddress,
): Promise<string | null> {
  const row = await db
    .selectFrom('library_names')
    .select('store_id')
    .where('namespace_slug', '=', namespace)
    .where('name', '=', name)
    .executeTakeFirst();
  return row?.store_id ?? null;
}

/** As `findLibraryStore`, but assigns a store to a new name. */
export async function claimLibraryStore(db: Database, library: LibraryAddress): Promise<string> {
  const known = await findLibraryStore(db, library);
  if (known !== null) return known;
  const { store_id } = await db
    .insertInto('library_names')
    .values({
      namespace_slug: library.namespace,
      name: library.name,
      store_id: newStoreId(),
      last_revision: 0,
    })
    .onConflict((conflict) =>
      conflict.columns(['namespace_slug', 'name']).doUpdateSet({ name: (eb) => eb.ref('excluded.name') }),
    )
    .returning('store_id')
    .executeTakeFirstOrThrow();
  return store_id;
}

/**
 * Locks the row of a store. Transactions that change what a store is used for, or which of its objects are kept, do
 * this first, so that they run one at a time.
 */
export async function lockStore(
  trx: Database,
  storeId: string,
): Promise<Pick<
  Selectable<LibraryNamesTable>,
  'deletions' | 'release_changes' | 'unregistered_files' | 'unregistered_bytes'
> | null> {
  const row = await trx
    .updateTable('library_names')
    .set((eb) => ({ deletions: eb.ref('deletions') }))
    .where('store_id', '=', storeId)
    .returning(['deletions', 'release_changes', 'unregistered_files', 'unregistered_bytes'])
    .executeTakeFirst();
  return row ?? null;
}

/**
 * Counts a change of what the releases of a store refer to. A reclaim pass that began earlier marks nothing more, and
 * earlier measurements of the store no longer count.
 */
export async function countReleaseChange(trx: Database, storeId: string): Promise<void> {
  await trx
    .updateTable('library_names')
    .set((eb) => ({ release_changes: eb('release_changes', '+', 1) }))
    .where('store_id', '=', storeId)
    .execute();
}

/** A new, unique name for a store. */
export function newStoreId(): string {
  return randomBytes(12).toString('hex');
}
