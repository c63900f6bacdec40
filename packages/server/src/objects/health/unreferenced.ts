import { arrivingChunks } from '@bindery/concurrency';
import type { MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { dropListed, referencesOf } from '../references.ts';
import { gracePeriod } from '../retention/retire.ts';
import { checkUnregistered } from '../unregistered.ts';
import { clearDamaged, damagedObjects } from './damage.ts';
import type { Finding } from './finding.ts';

/** How many objects are looked up at a time: a bound on memory. */
const LISTED_AT_ONCE = 50_000;

/**
 * Finds objects that are older than the grace period, that nothing refers to, and that reclaim has no row for. With
 * `repair`, the store becomes due, so that reclaim deletes them in its two steps if it finds the same.
 */
export async function findUnreferenced(
  context: MaintenanceContext,
  storeId: string,
  library: string | null,
  repair: boolean,
): Promise<Finding[]> {
  const before = context.clock() - gracePeriod(context.configuration);
  const { indexes, documents } = await referencesOf(context, storeId, context.clock());
  const unreferenced: string[] = [];
  for await (const some of arrivingChunks(context.objects.list(storeId), LISTED_AT_ONCE)) {
    const old = some.filter(({ sha256, storedAt }) => storedAt < before && !documents.has(sha256));
    const { left, lostIndex } = await dropListed(context.objects, storeId, indexes, old);
    // What a lost index lists is unknown.
    if (lostIndex === null) unreferenced.push(...left.map(({ sha256 }) => sha256));
  }
  // Reclaim is about to delete objects with a row, or a client was told that they are stored.
  const known = new Set(await rowsOf(context.db, storeId));
  const unknown = unreferenced.filter((sha256) => !known.has(sha256));
  if (unknown.length > 0 && repair) await makeDue(context, storeId);
  return unknown.map((sha256) => ({
    problem: 'orphan',
    what: 'object',
    storeId,
    library,
    revision: null,
    sha256,
    path: null,
    isRepaired: repair,
    remedy: repair ? 'reclaim deletes it' : '"bindery admin fsck --repair" has reclaim delete it',
  }));
}

async function makeDue({ db, clock }: MaintenanceContext, storeId: string): Promise<void> {
  await db
    .updateTable('library_names')
    .set((eb) => ({ reclaim_marks: eb('reclaim_marks', '+', 1), reclaim_due_at: clock() }))
    .where('store_id', '=', storeId)
    .execute();
}

/**
 * Finds rows about objects that are not stored: pending deletions and damage records. With `repair`, deletes them; rows
 * about stored objects stay. Also compares what counts of unregistered uploads with their sums.
 */
export async function findStaleRows(
  context: MaintenanceContext,
  storeId: string,
  library: string | null,
  repair: boolean,
): Promise<Finding[]> {
  const pending = await missingOf(context, storeId, await rowsOf(context.db, storeId, 'pending'));
  // An object that a reclaim deleted meanwhile no longer has a row.
  const stillPending = new Set(await rowsOf(context.db, storeId, 'pending'));
  const stale = pending.filter((sha256) => stillPending.has(sha256));
  const damaged = await missingOf(context, storeId, [...(await damagedObjects(context.db, storeId))]);
  if (repair && stale.length > 0) {
    await context.db
      .deleteFrom('doomed_objects')
      .where('store_id', '=', storeId)
      .where('state', '=', 'pending')
      .where('sha256', 'in', stale)
      .execute();
  }
  if (repair) await clearDamaged(context.db, storeId, damaged);
  const about = { what: 'row', storeId, library, revision: null, path: null, isRepaired: repair } as const;
  const isCounted = await checkUnregistered(context.db, storeId, repair);
  return [
    ...[...stale, ...damaged].map((sha256) => ({
      ...{ problem: 'stale-row' as const, ...about, sha256 },
      remedy: repair ? 'the row was removed' : '"bindery admin fsck --repair" removes the row',
    })),
    ...(isCounted
      ? []
      : [
          {
            ...{ problem: 'miscounted' as const, ...about, sha256: null },
            remedy: repair ? 'they were counted again' : '"bindery admin fsck --repair" counts them again',
          },
        ]),
  ];
}

/** The objects of a store that have a row about their deletion, in this state if one is given. */
async function rowsOf(db: Database, storeId: string, state?: 'pending'): Promise<string[]> {
  const rows = await db
    .selectFrom('doomed_objects')
    .select('sha256')
    .where('store_id', '=', storeId)
    .$if(state !== undefined, (query) => query.where('state', '=', state ?? 'pending'))
    .execute();
  return rows.map(({ sha256 }) => sha256);
}

async function missingOf(
  { objects }: MaintenanceContext,
  storeId: string,
  hashes: readonly string[],
): Promise<string[]> {
  const missing: string[] = [];
  for (const sha256 of hashes) if ((await objects.size({ storeId, sha256 })) === null) missing.push(sha256);
  return missing;
}
