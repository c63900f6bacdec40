import type { DatabaseContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { WaitingChanges } from '../../metrics.ts';
import { NOTHING, ROW, unfinishedOf } from './engine-state.ts';
import type { Published } from './search-engine.ts';

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
): Promise<(Published & { libraries: number; assets: number }) | null> {
  // In one statement, since publications go on.
  const row = await db
    .selectFrom('search_index')
    .select(({ selectFrom }) => [
      'name as index',
      'sequence',
      'unfinished',
      selectFrom('searched_libraries')
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .where('index_sha256', '!=', NOTHING)
        .as('libraries'),
      selectFrom('searched_libraries')
        .select(({ fn }) => fn.sum<number>('asset_count').as('sum'))
        .as('assets'),
    ])
    .where('id', '=', ROW)
    .executeTakeFirst();
  if (!row || row.index === '') return null;
  return {
    ...row,
    unfinished: unfinishedOf(row),
    libraries: Number(row.libraries),
    assets: Number(row.assets ?? 0),
  };
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
