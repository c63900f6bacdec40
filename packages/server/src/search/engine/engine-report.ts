import type { DatabaseContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { WaitingChanges } from '../../metrics.ts';
import { ROW } from './engine-state.ts';

/** Returns what the engine has not been given yet. */
export async function waitingChanges({ db, clock }: DatabaseContext): Promise<WaitingChanges> {
  const { libraries, oldest } = await db
    .selectFrom('search_changes')
    .select(({ fn }) => [fn.countAll<number>().as('libraries'), fn.min('queued_at').as('oldest')])
    .executeTakeFirstOrThrow();
  const oldestSeconds = oldest === null ? 0 : Math.max(0, (clock() - oldest) / 1_000);
  return { libraries: Number(libraries), oldestSeconds };
}

/** What the engine should have, as the database says; null if it has been given nothing yet. */
export async function describeEngine(
  db: Database,
): Promise<{ index: string; mapping: number; sequence: number; libraries: number; assets: number } | null> {
  const row = await db.selectFrom('search_index').selectAll().where('id', '=', ROW).executeTakeFirst();
  if (!row || row.name === '') return null;
  const { libraries, assets } = await db
    .selectFrom('searched_libraries')
    .select(({ fn }) => [fn.countAll<number>().as('libraries'), fn.sum<number>('asset_count').as('assets')])
    .executeTakeFirstOrThrow();
  const { name: index, mapping, sequence } = row;
  return { index, mapping, sequence, libraries: Number(libraries), assets: Number(assets ?? 0) };
}

/**
 * Has everything be published to a new index of the engine, by a running service. Until that is done, libraries are
 * searched in the process. Returns how many libraries there are; null if there is no engine.
 */
export async function reindex({ db }: DatabaseContext): Promise<number | null> {
  const known = await db
    .updateTable('search_index')
    .set({ mapping: 0 })
    .where('id', '=', ROW)
    .returning('id')
    .executeTakeFirst();
  if (!known) return null;
  const { libraries } = await db
    .selectFrom('libraries')
    .select(({ fn }) => fn.countAll<number>().as('libraries'))
    .where('state', '=', 'active')
    .executeTakeFirstOrThrow();
  return Number(libraries);
}
