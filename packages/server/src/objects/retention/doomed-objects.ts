import { chunks } from '@bindery/concurrency';
import { type ExpressionBuilder, sql } from 'kysely';
import { deleteBefore } from '../../database/queries.ts';
import type { Database, Tables } from '../../database/schema.ts';

/*
 * How an object is deleted: pending → deleting → its bytes are deleted → its row is deleted. Every step is a
 * transaction, and none relies on a clock or a lock to decide whether it is allowed:
 *
 * - An object becomes pending only if the library has not changed since the object was found unreferenced.
 * - A commit deletes the pending rows of objects that its revision refers to, so the current revision has none.
 * - The transaction that makes pending objects deleting also increments `library_names.deletions`, and so does one that
 *   takes over deletions of another process. A register takes over deletions in progress, finishes them, and then looks
 *   for its files; its commit succeeds only if the number shows that nobody else has deleted since.
 * - A process checks once more that the rows are its own before it deletes bytes permanently, so that one that was
 *   suspended in between deletes nothing that was stored again.
 */

/** Rows per statement: few enough not to delay other requests. */
const ROWS_AT_ONCE = 100;

/** How many objects are deleted at a time, which blocks the event loop and makes a register wait. */
const DELETED_AT_ONCE = 100;

/** An object, and since when nothing has referred to it, in milliseconds since 1970. */
export interface UnreferencedObject {
  sha256: string;
  since: number;
}

/**
 * Makes objects pending, except those that are already leased, pending or being deleted. The store stays due until they
 * are deleted.
 */
export async function markPending(
  trx: Database,
  storeId: string,
  objects: readonly UnreferencedObject[],
): Promise<void> {
  if (objects.length === 0) return;
  const rows = objects.map(({ sha256, since }) => ({
    store_id: storeId,
    sha256,
    state: 'pending' as const,
    since,
    deleter: null,
  }));
  await trx
    .insertInto('doomed_objects')
    .values(rows)
    .onConflict((conflict) => conflict.doNothing())
    .execute();
  await trx.updateTable('library_names').set(staysDue).where('store_id', '=', storeId).execute();
}

/** Keeps the store due: another pass may have found nothing left to do, and this one may stop before it is finished. */
function staysDue(eb: ExpressionBuilder<Tables, 'library_names'>) {
  return { reclaim_due_at: eb.fn.coalesce('reclaim_due_at', eb.lit(0)) };
}

/**
 * Deletes the rows of pending objects that a revision refers to, according to `isNamed`. Part of the commit of that
 * revision.
 */
export async function unmarkPending(
  trx: Database,
  storeId: string,
  isNamed: (sha256: string) => boolean,
): Promise<void> {
  let after = '';
  for (;;) {
    const page = await hashesIn('pending', trx, storeId)
      .where('sha256', '>', after)
      .orderBy('sha256')
      .limit(ROWS_AT_ONCE)
      .execute();
    const hashes = page.map(({ sha256 }) => sha256);
    await deleteRows(trx, storeId, hashes.filter(isNamed));
    after = hashes.at(-1) ?? '';
    if (hashes.length < ROWS_AT_ONCE) return;
  }
}

/**
 * Begins to delete some of the objects that nothing has referred to since `before`: from here on no register relies on
 * them. Returns their hashes; none if nothing is left or the store no longer belongs to a library.
 */
export async function beginDeleting(
  db: Database,
  storeId: string,
  deleter: string,
  before: number,
): Promise<string[]> {
  return db.transaction().execute(async (trx) => {
    if (!(await someArePending(trx, storeId, before))) return [];
    const { numUpdatedRows } = await trx
      .updateTable('library_names')
      .set((eb) => ({ ...staysDue(eb), deletions: eb('deletions', '+', 1) }))
      .where('store_id', '=', storeId)
      .executeTakeFirst();
    if (numUpdatedRows === 0n) return [];
    const rows = await trx
      .updateTable('doomed_objects')
      .set({ state: 'deleting', deleter })
      .where('store_id', '=', storeId)
      .where('state', '=', 'pending')
      .where('sha256', 'in', (eb) =>
        eb
          .selectFrom('doomed_objects as some')
          .select('some.sha256')
          .where('some.store_id', '=', storeId)
          .where('some.state', '=', 'pending')
          .where('some.since', '<=', before)
          .orderBy('some.sha256')
          .limit(DELETED_AT_ONCE),
      )
      .returning('sha256')
      .execute();
    return rows.map(({ sha256 }) => sha256);
  });
}

function hashesIn(state: 'pending' | 'deleting', db: Database, storeId: string) {
  return db
    .selectFrom('doomed_objects')
    .select('sha256')
    .where('store_id', '=', storeId)
    .where('state', '=', state);
}

async function someArePending(trx: Database, storeId: string, before: number): Promise<boolean> {
  const row = await hashesIn('pending', trx, storeId)
    .where('since', '<=', before)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

/** Whether one of the objects for which `isNamed` is true is being deleted. */
export async function isBeingDeleted(
  trx: Database,
  storeId: string,
  isNamed: (sha256: string) => boolean,
): Promise<boolean> {
  const rows = await hashesIn('deleting', trx, storeId).execute();
  return rows.some(({ sha256 }) => isNamed(sha256));
}

/** Objects that only one process deletes, as long as `library_names.deletions` is still this number. */
interface TakenOver {
  hashes: string[];
  deletions: number;
}

/** Makes `deleter` the owner of all unfinished deletions of a store. */
export async function takeOverDeletions(db: Database, storeId: string, deleter: string): Promise<TakenOver> {
  // Read first: deletions that begin later change the number.
  const deletions = await deletionsOf(db, storeId);
  const begun = hashesIn('deleting', db, storeId).limit(1);
  if ((await begun.executeTakeFirst()) === undefined) return { hashes: [], deletions };
  return db.transaction().execute(async (trx) => {
    const counted = await trx
      .updateTable('library_names')
      .set((eb) => ({ deletions: eb('deletions', '+', 1) }))
      .where('store_id', '=', storeId)
      .returning('deletions')
      .executeTakeFirst();
    const rows = await trx
      .updateTable('doomed_objects')
      .set({ deleter })
      .where('store_id', '=', storeId)
      .where('state', '=', 'deleting')
      .returning('sha256')
      .execute();
    return { hashes: rows.map(({ sha256 }) => sha256), deletions: counted?.deletions ?? 0 };
  });
}

async function deletionsOf(db: Database, storeId: string): Promise<number> {
  const row = await db
    .selectFrom('library_names')
    .select('deletions')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  return row?.deletions ?? 0;
}

/** Returns those of the given hashes that are still to be deleted, by this deleter or, without one, by any. */
export async function stillDeleting(
  db: Database,
  storeId: string,
  hashes: readonly string[],
  deleter?: string,
): Promise<Set<string>> {
  const found = new Set<string>();
  for (const some of chunks(hashes, ROWS_AT_ONCE)) {
    const rows = await db
      .selectFrom('doomed_objects')
      .select('sha256')
      .where('store_id', '=', storeId)
      .where('sha256', 'in', some)
      .where('state', '=', 'deleting')
      .$if(deleter !== undefined, (query) => query.where('deleter', '=', deleter ?? ''))
      .execute();
    for (const { sha256 } of rows) found.add(sha256);
  }
  return found;
}

/** Deletes the rows of objects whose bytes have been deleted. */
export async function endDeleting(
  db: Database,
  storeId: string,
  hashes: readonly string[],
  deleter: string,
): Promise<void> {
  for (const some of chunks(hashes, ROWS_AT_ONCE)) {
    await db
      .deleteFrom('doomed_objects')
      .where('store_id', '=', storeId)
      .where('sha256', 'in', some)
      .where('deleter', '=', deleter)
      .execute();
  }
}

/**
 * Keeps objects from becoming pending until the lease is a day old. Returns those that are leased; the others are being
 * deleted. Callers check only afterwards whether an object is stored.
 */
export async function leaseObjects(
  db: Database,
  storeId: string,
  hashes: readonly string[],
  now: number,
): Promise<Set<string>> {
  const leased = new Set<string>();
  for (const some of chunks([...new Set(hashes)].sort(), ROWS_AT_ONCE)) {
    const rows = await db
      .insertInto('doomed_objects')
      .values(
        some.map((sha256) => ({
          store_id: storeId,
          sha256,
          state: 'leased' as const,
          since: now,
          deleter: null,
        })),
      )
      .onConflict((conflict) =>
        conflict
          .columns(['store_id', 'sha256'])
          .doUpdateSet((eb) => ({ state: 'leased' as const, since: eb.ref('excluded.since') }))
          .where('doomed_objects.state', '<>', 'deleting'),
      )
      .returning('sha256')
      .execute();
    for (const { sha256 } of rows) leased.add(sha256);
  }
  return leased;
}

/** Ends the lease of an object that a revision refers to now. */
export async function endLease(db: Database, storeId: string, sha256: string): Promise<void> {
  await db
    .deleteFrom('doomed_objects')
    .where('store_id', '=', storeId)
    .where('sha256', '=', sha256)
    .where('state', '=', 'leased')
    .execute();
}

/** Deletes leases granted before `before`. */
export async function deleteOldLeases(db: Database, before: number): Promise<void> {
  const lease = {
    key: ['store_id', 'sha256'],
    time: 'since',
    where: sql<boolean>`state = 'leased'`,
  } as const;
  await deleteBefore(db, 'doomed_objects', lease, before);
}

/**
 * Returns the times of the oldest object that is pending or being deleted and of the oldest lease of a store; null if
 * there is none.
 */
export async function oldestOf(
  db: Database,
  storeId: string,
): Promise<{ doomed: number | null; leased: number | null }> {
  const rows = await db
    .selectFrom('doomed_objects')
    .select((eb) => ['state', eb.fn.min('since').as('since')])
    .where('store_id', '=', storeId)
    .groupBy('state')
    .execute();
  const since = (states: readonly string[]) => {
    const times = rows.filter(({ state }) => states.includes(state)).map((row) => row.since);
    return times.length === 0 ? null : Math.min(...times);
  };
  return { doomed: since(['pending', 'deleting']), leased: since(['leased']) };
}

async function deleteRows(db: Database, storeId: string, hashes: readonly string[]): Promise<void> {
  if (hashes.length === 0) return;
  await db
    .deleteFrom('doomed_objects')
    .where('store_id', '=', storeId)
    .where('sha256', 'in', hashes)
    .execute();
}
