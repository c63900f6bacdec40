import { DAY, LIMITS } from '@bindery/contract';
import type { ExpressionBuilder } from 'kysely';
import { type LibraryRow, revisionColumns } from '../../access/libraries.ts';
import type { Configuration } from '../../configuration/configuration.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import type { Database, Tables } from '../../database/schema.ts';
import type { RevisionColumns } from '../../database/tables/libraries.ts';
import { UPLOAD_LIFETIME } from '../uploads.ts';
import { oldestOf } from './doomed-objects.ts';

/**
 * Keeps the objects of a revision that was replaced, or of a deleted release, as history from now; of a revision with
 * `differences` from the one that replaces it, that object instead of its manifest and its index. No revision is kept for
 * longer than a later one, since it may be made of that.
 */
export async function retire(
  trx: Database,
  revision: Pick<LibraryRow, keyof RevisionColumns | 'store_id'>,
  now: number,
  differences: string | null = null,
): Promise<void> {
  const { store_id, index_sha256, manifest_sha256, codes_sha256, artifacts_sha256 } = revision;
  const { last } = await trx
    .selectFrom('retired_revisions')
    .select((eb) => eb.fn.max('retired_at').as('last'))
    .where('store_id', '=', store_id)
    .executeTakeFirstOrThrow();
  const objects = {
    index_sha256: differences ?? index_sha256,
    manifest_sha256: differences ?? manifest_sha256,
    ...{ codes_sha256, artifacts_sha256 },
    retired_at: Math.max(now, last ?? now),
    described: JSON.stringify(revisionColumns(revision)),
  };
  await trx
    .insertInto('retired_revisions')
    .values({ store_id, revision: revision.revision, ...objects })
    .onConflict((conflict) => conflict.columns(['store_id', 'revision']).doUpdateSet(objects))
    .execute();
}

type Periods = Pick<Configuration, 'reclaimGraceSeconds' | 'historyDays'>;

/**
 * Returns the condition on rows of `retired_revisions` for those that are kept: all within the grace period and, for the
 * days of history, the latest ones, as many as the log of a library has.
 */
export function isKept(configuration: Periods, now: number) {
  return (eb: ExpressionBuilder<Tables, 'retired_revisions'>) =>
    eb.or([
      eb('retired_revisions.retired_at', '>=', now - gracePeriod(configuration)),
      eb.and([
        eb('retired_revisions.retired_at', '>=', now - configuration.historyDays * DAY),
        eb('retired_revisions.revision', '>', oldestInHistory(eb)),
      ]),
    ]);
}

/** The number of the last revision that is too old to be history, however recently it was replaced. */
function oldestInHistory(eb: ExpressionBuilder<Tables, 'retired_revisions'>) {
  return eb
    .selectFrom('library_names as name')
    .select((names) => names('name.last_revision', '-', LIMITS.loggedRegisters).as('last'))
    .whereRef('name.store_id', '=', 'retired_revisions.store_id');
}

/** How long an object stays that nothing refers to, in milliseconds. */
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

/** The changes that a mark makes to a row of `library_names`. A store that is already due earlier stays so. */
export function marked(due: number) {
  return (eb: ExpressionBuilder<Tables, 'library_names'>) => ({
    reclaim_marks: eb('reclaim_marks', '+', 1),
    reclaim_due_at: eb
      .case()
      .when('reclaim_due_at', '<', due)
      .then(eb.ref('reclaim_due_at'))
      .else(eb.val(due))
      .end(),
  });
}

/** A store to search, and how often it had been marked when that was decided. */
export interface DueStore {
  storeId: string;
  marks: number;
}

/** A store that no other server searches meanwhile. */
export interface TakenStore extends DueStore {
  /** When it was due. */
  due: number;
  /** When it is due again if this server stops before it is done, and no other change makes it due earlier. */
  until: number;
}

/** How long a server that searches a store has it to itself, in milliseconds. One that takes longer loses only that. */
const LEASE = 10 * 60_000;

/**
 * Takes the store that has been due for the longest time before `now`, of those that come after `last`. Returns null if
 * there is none.
 */
export async function takeDueStore(
  db: Database,
  now: number,
  last: Pick<TakenStore, 'due' | 'storeId'> = { due: Number.MIN_SAFE_INTEGER, storeId: '' },
): Promise<TakenStore | null> {
  for (let after = last; ; ) {
    const next = await db
      .selectFrom('library_names')
      .select(['store_id as storeId', 'reclaim_due_at as due'])
      .where('reclaim_due_at', '<=', now)
      .where(({ eb, refTuple, tuple }) =>
        eb(refTuple('reclaim_due_at', 'store_id'), '>', tuple(after.due, after.storeId)),
      )
      .orderBy('reclaim_due_at')
      .orderBy('store_id')
      .limit(1)
      .$narrowType<{ due: number }>()
      .executeTakeFirst();
    if (!next) return null;
    const until = now + LEASE;
    const taken = await changeDue(db, next, until).returning('reclaim_marks').executeTakeFirst();
    if (taken) return { ...next, until, marks: taken.reclaim_marks };
    after = next;
  }
}

/** Makes a store due again whose search was not completed. */
export async function returnStore(db: Database, { storeId, due, until }: TakenStore): Promise<void> {
  await changeDue(db, { storeId, due: until }, due).execute();
}

/** Changes when a store is due, unless that was changed since. */
function changeDue(db: Database, { storeId, due }: Pick<TakenStore, 'due' | 'storeId'>, to: number) {
  return db
    .updateTable('library_names')
    .set({ reclaim_due_at: to })
    .where('store_id', '=', storeId)
    .where('reclaim_due_at', '=', due);
}

/**
 * Schedules the next pass over a store for the earliest time at which a retired revision or doomed object is due, or a lease or an upload that may already be an object expires. Schedules none if there are none. A store
 * that was marked in the meantime stays due.
 */
export async function scheduleNext(
  { db, configuration, objects }: MaintenanceContext,
  { storeId, marks }: DueStore,
): Promise<void> {
  const retired = db
    .selectFrom('retired_revisions')
    .select((eb) => eb.fn.min('retired_at').as('at'))
    .where('store_id', '=', storeId);
  const inHistory = await retired.where((eb) => eb('revision', '>', oldestInHistory(eb))).executeTakeFirst();
  const older = await retired.where((eb) => eb('revision', '<=', oldestInHistory(eb))).executeTakeFirst();
  const { doomed, leased } = await oldestOf(db, storeId);
  const times = [older?.at ?? null, doomed].filter((time) => time !== null);
  const dues = times.map((time) => afterGrace(configuration, time));
  if (inHistory?.at != null) dues.push(afterHistory(configuration, inHistory.at));
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

/** The earliest time at which a revision that was replaced at `time` is no longer history. */
function afterHistory(configuration: Periods, time: number): number {
  return Math.max(afterGrace(configuration, time), time + configuration.historyDays * DAY + 1);
}
