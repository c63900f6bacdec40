import type { Configuration } from '../../configuration.ts';
import type { Parts } from '../../parts.ts';

/** How long a replaced revision's objects stay, in milliseconds. */
export function gracePeriod({ reclaimGraceSeconds }: Pick<Configuration, 'reclaimGraceSeconds'>): number {
  return reclaimGraceSeconds * 1_000;
}

/**
 * Records that a store may soon hold unreferenced objects, before the first of them is made. A store that is
 * recorded already keeps its time; one that is due, perhaps with a pass under way, stays due after that pass.
 */
export async function markForReclaim(
  { db, clock, configuration }: Pick<Parts, 'db' | 'clock' | 'configuration'>,
  storeId: string,
): Promise<void> {
  const now = clock();
  const mark = (due: number) =>
    db.updateTable('library_names').set({ reclaim_due_at: due }).where('store_id', '=', storeId);
  await mark(now).where('reclaim_due_at', '<', now).execute();
  await mark(afterGrace(configuration, now)).where('reclaim_due_at', 'is', null).execute();
}

/** The stores that are due, longest overdue first. */
export async function storesDue(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  limit: number,
): Promise<{ storeId: string; dueAt: number }[]> {
  const now = clock();
  const rows = await db
    .selectFrom('library_names')
    .select(['store_id', 'reclaim_due_at'])
    .where('reclaim_due_at', '<=', now)
    .orderBy('reclaim_due_at')
    .limit(limit)
    .execute();
  return rows.map(({ store_id, reclaim_due_at }) => ({ storeId: store_id, dueAt: reclaim_due_at ?? now }));
}

/**
 * Schedules the next pass over a store after one that was due at `dueAt`: when the grace period of its oldest
 * retired revision ends, or never.
 */
export async function scheduleNext(
  { db, configuration }: Pick<Parts, 'db' | 'configuration'>,
  storeId: string,
  dueAt: number,
): Promise<void> {
  const oldest = await db
    .selectFrom('retired_revisions')
    .select((eb) => eb.fn.min('retired_at').as('retired_at'))
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  const retiredAt = oldest?.retired_at ?? null;
  await db
    .updateTable('library_names')
    .set({ reclaim_due_at: retiredAt === null ? null : afterGrace(configuration, retiredAt) })
    .where('store_id', '=', storeId)
    .where('reclaim_due_at', '=', dueAt)
    .execute();
}

/** The first moment at which what was retired at `time` is reclaimed. */
function afterGrace(configuration: Configuration, time: number): number {
  return time + gracePeriod(configuration) + 1;
}
