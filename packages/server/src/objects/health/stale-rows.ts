import type { MaintenanceContext } from '../../context.ts';
import { clearDamaged } from './damaged-objects.ts';
import type { Finding } from './finding.ts';

/**
 * Finds rows about objects that are not stored: pending deletions and damage records. With `repair`, deletes them; rows
 * about stored objects stay.
 */
export async function findStaleRows(
  context: MaintenanceContext,
  storeId: string,
  library: string | null,
  repair: boolean,
): Promise<Finding[]> {
  const pending = await absentOf(context, storeId, await pendingOf(context, storeId));
  // An object that a reclaim deleted meanwhile no longer has a row.
  const stillPending = new Set(await pendingOf(context, storeId));
  const stale = pending.filter((sha256) => stillPending.has(sha256));
  const damaged = await absentOf(context, storeId, await damagedOf(context, storeId));
  if (repair && stale.length > 0) {
    await context.db
      .deleteFrom('doomed_objects')
      .where('store_id', '=', storeId)
      .where('state', '=', 'pending')
      .where('sha256', 'in', stale)
      .execute();
  }
  if (repair) await clearDamaged(context.db, storeId, damaged);
  return [...stale, ...damaged].map((sha256) => ({
    problem: 'stale-row',
    what: 'row',
    storeId,
    library,
    revision: null,
    sha256,
    path: null,
    isRepaired: repair,
    remedy: repair ? 'the row was removed' : '"bindery admin fsck --repair" removes the row',
  }));
}

async function pendingOf({ db }: MaintenanceContext, storeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('doomed_objects')
    .select('sha256')
    .where('store_id', '=', storeId)
    .where('state', '=', 'pending')
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

async function damagedOf({ db }: MaintenanceContext, storeId: string): Promise<string[]> {
  const rows = await db
    .selectFrom('damaged_objects')
    .select('sha256')
    .where('store_id', '=', storeId)
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

async function absentOf(
  { objects }: MaintenanceContext,
  storeId: string,
  hashes: readonly string[],
): Promise<string[]> {
  const absent: string[] = [];
  for (const sha256 of hashes) if ((await objects.size({ storeId, sha256 })) === null) absent.push(sha256);
  return absent;
}
