import type { Database } from '../../database/schema.ts';
import type { Parts } from '../../parts.ts';

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
 * Records that these objects do not count as stored, and that no revision may refer to them, until they are
 * replaced.
 */
export async function noteDamaged(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  storeId: string,
  hashes: readonly string[],
): Promise<void> {
  const found_at = clock();
  for (const some of inBatches(hashes)) {
    await db
      .insertInto('damaged_objects')
      .values(some.map((sha256) => ({ store_id: storeId, sha256, found_at })))
      .onConflict((conflict) => conflict.doNothing())
      .execute();
  }
}

/** Records that these objects are intact again, or gone. */
export async function forgetDamaged(
  { db }: Pick<Parts, 'db'>,
  storeId: string,
  hashes: readonly string[],
): Promise<void> {
  for (const some of inBatches(hashes)) {
    await db
      .deleteFrom('damaged_objects')
      .where('store_id', '=', storeId)
      .where('sha256', 'in', some)
      .execute();
  }
}

function* inBatches(hashes: readonly string[]): Generator<readonly string[]> {
  for (let at = 0; at < hashes.length; at += ROWS_AT_ONCE) yield hashes.slice(at, at + ROWS_AT_ONCE);
}
