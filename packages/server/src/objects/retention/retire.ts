import type { ExpressionBuilder } from 'kysely';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../../context.ts';
import type { Database, Tables } from '../../database/schema.ts';
import type { RetiredRevisionsTable } from '../../database/tables/libraries.ts';
import { UPLOAD_LIFETIME } from '../uploads.ts';
import { oldestOf } from './doomed-objects.ts';

/** Keeps the objects of a revision that was replaced, or of a deleted release, for the grace period from now. */
export async function retire(
  trx: Database,
  revision: Omit<RetiredRevisionsTable, 'retired_at'>,
  now: number,
): Promise<void> {
  const { store_id, index_sha256, manifest_sha256, codes_sha256, artifacts_sha256 } = revision;
  const objects = { index_sha256, manifest_sha256, codes_sha256, artifacts_sha256, retired_at: now };
  await trx
    .insertInto('retired_revisions')
    .values({ store_id, revision: revision.revision, ...objects })
    .onConflict((conflict) => conflict.columns(['store_id', 'revision']).doUpdateSet(objects))
    .execute();
}

/** How long a replaced revision's objects stay, in milliseconds. */
export function gracePeriod({ reclaimGraceSeconds }: Pick<Configuration, 'reclaimGraceSeconds'>): number {
  return reclaimGraceSeconds * 1_000;
}

/**
 * Records that a store may soon hold unreferenced objects, before the first of them is created. A store that is already
 * recorded keeps its time; one with a pass in progress stays due after that pass.
 */
export async function markForReclaim(
  { db, clock, configuration }: MaintenanceContext,
  storeId: string,
): Promise<void> {
  await db
    .updateTable('library_names')
    .set(marked(afterGrace(configuration, clock())))
    .where('store_id', '=', storeId)
    .execute();
}

/** The changes that a mark makes to a row of `library_names`. A store that already has a due time keeps it. */
export function marked(due: number) {
  return (eb: ExpressionBuilder<Tables, 'library_names'>) => ({
    reclaim_marks: eb('reclaim_marks', '+', 1),
    reclaim_due_at: eb.fn.coalesce('reclaim_due_at', eb.val(due)),
  });
}

/** A store to search, and how often it had been marked when that was decided. */
export interface DueStore {
  storeId: string;
  marks: number;
}

/** The stores that are due, longest overdue first. */
export async function storesDue({ db, clock }: DatabaseContext, limit: number): Promise<DueStore[]> {
  const rows = await db
    .selectFrom('library_names')
    .select(['store_id', 'reclaim_marks'])
    .where('reclaim_due_at', '<=', clock())
    .orderBy('reclaim_due_at')
    .limit(limit)
    .execute();
  return rows.map(({ store_id, reclaim_marks }) => ({ storeId: store_id, marks: reclaim_marks }));
}

/**
 * Schedules the next pass over a store for the earliest time at which the grace period of a retired revision or doomed
 * object ends, or a lease or an upload that may already be an object expires. Schedules none if there are none. A store
 * that was marked in the meantime stays due.
 */
export async function scheduleNext(
  { db, configuration, objects }: MaintenanceContext,
  { storeId, marks }: DueStore,
): Promise<void> {
  const retired = await db
    .selectFrom('retired_revisions')
    .select((eb) => eb.fn.min('retired_at').as('at'))
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  const { doomed, leased } = await oldestOf(db, storeId);
  const times = [retired?.at ?? null, doomed].filter((time) => time !== null);
  const dues = times.map((time) => afterGrace(configuration, time));
  if (leased !== null) dues.push(leased + UPLOAD_LIFETIME + 1);
  const uploaded = objects.hasStaging ? null : await oldestUpload(db, storeId);
  if (uploaded !== null) dues.push(uploaded + UPLOAD_LIFETIME + 1);
  await db
    .updateTable('library_names')
    .set({ reclaim_due_at: dues.length === 0 ? null : Math.min(...dues) })
    .where('store_id', '=', storeId)
    .where('reclaim_marks', '=', marks)
    .execute();
}

/** When the oldest upload that may already be an object was announced or received; null if there is none. */
async function oldestUpload(db: Context['db'], storeId: string): Promise<number | null> {
  const received = await db
    .selectFrom('upload_receipts')
    .select((eb) => eb.fn.min('received_at').as('at'))
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  const announced = await db
    .selectFrom('direct_uploads')
    .select((eb) => eb.fn.min('created_at').as('at'))
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  const times = [received?.at ?? null, announced?.at ?? null].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}

/** The earliest time at which what was retired at `time` is reclaimed. */
export function afterGrace(configuration: Pick<Configuration, 'reclaimGraceSeconds'>, time: number): number {
  return time + gracePeriod(configuration) + 1;
}
