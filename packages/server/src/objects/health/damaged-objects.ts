import { chunks } from '@bindery/concurrency';
import type { DatabaseContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { queueServiceEvent } from '../../outbox/queue-event.ts';

/** Rows per statement: few enough not to delay other requests. */
const ROWS_AT_ONCE = 500;

/** The hashes of objects that were found damaged and have not been replaced yet. */
export async function damagedObjects(db: Database, storeId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('damaged_objects')
    .select('sha256')
    .where('store_id', '=', storeId)
    .execute();
  return new Set(rows.map(({ sha256 }) => sha256));
}

/**
 * Records objects as damaged: until they are replaced, they do not count as stored, and no revision may refer to them.
 * Operators are notified of those not recorded before.
 */
export async function recordDamaged(
  { db, clock }: DatabaseContext,
  storeId: string,
  hashes: readonly string[],
): Promise<void> {
  const found_at = clock();
  await db.transaction().execute(async (trx) => {
    let objects = 0;
    for (const some of chunks(hashes, ROWS_AT_ONCE)) {
      const noted = await trx
        .insertInto('damaged_objects')
        .values(some.map((sha256) => ({ store_id: storeId, sha256, found_at })))
        .onConflict((conflict) => conflict.doNothing())
        .returning('sha256')
        .execute();
      objects += noted.length;
    }
    if (objects > 0) await notifyOperators(trx, storeId, objects, found_at);
  });
}

async function notifyOperators(trx: Database, storeId: string, objects: number, now: number): Promise<void> {
  const library = await trx
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .select(['namespaces.slug as namespace', 'libraries.name as library'])
    .where('libraries.store_id', '=', storeId)
    .executeTakeFirst();
  const { namespace = null, library: name = null } = library ?? {};
  const data = { namespace, library: name, objects };
  await queueServiceEvent(trx, now, { event: 'objects.damaged', data });
}

/** Deletes the damage records of objects that are intact again or no longer stored. */
export async function clearDamaged(db: Database, storeId: string, hashes: readonly string[]): Promise<void> {
  for (const some of chunks(hashes, ROWS_AT_ONCE)) {
    await db
      .deleteFrom('damaged_objects')
      .where('store_id', '=', storeId)
      .where('sha256', 'in', some)
      .execute();
  }
}
