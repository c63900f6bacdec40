import { sql } from 'kysely';
import type { Database } from '../../database/schema.ts';
import { differences } from '../../libraries/read/changes.ts';
import type { RelevanceIndex, RevisionIndex } from '../../revision/revision-index.ts';
import type { SearchedLibrary } from './engine-state.ts';

/** Returns which assets a revision has that another lacks or has differently, and the ids of those that it replaces; all if there is no other. */
export async function compared(
  old: RevisionIndex | null,
  now: RelevanceIndex,
): Promise<{ added: number[]; gone: string[] | null }> {
  if (old === null) return { added: Array.from({ length: now.assetCount }, (_, asset) => asset), gone: null };
  const added: number[] = [];
  const gone: string[] = [];
  for await (const { before, after } of differences(old, now)) {
    if (before !== null) gone.push(old.assetId(before));
    if (after !== null) added.push(after);
  }
  return { added, gone };
}

export async function searchedLibrary(db: Database, libraryId: string): Promise<SearchedLibrary | null> {
  const row = await db
    .selectFrom('searched_libraries')
    .selectAll()
    .where('library_id', '=', libraryId)
    .executeTakeFirst();
  return row ?? null;
}

export async function nextNumber(db: Database): Promise<number> {
  const row = await db
    .selectFrom('searched_libraries')
    .select(({ fn }) => fn.max('number').as('last'))
    .executeTakeFirst();
  return (row?.last ?? 0) + 1;
}

/** Queues the libraries of which the engine has another revision or nothing, and those that are gone. */
export async function queueDifferences(db: Database, now: number): Promise<void> {
  const queued = [sql<number>`1`.as('changes'), sql<number>`cast(${now} as bigint)`.as('queued_at')] as const;
  const insert = db.insertInto('search_changes').columns(['library_id', 'changes', 'queued_at']);
  const changed = db
    .selectFrom('libraries')
    .leftJoin('searched_libraries as searched', 'searched.library_id', 'libraries.id')
    .select(['libraries.id as library_id', ...queued])
    .where('libraries.state', '=', 'active')
    .where((eb) =>
      eb.or([
        eb('searched.library_id', 'is', null),
        eb('searched.index_sha256', '!=', eb.ref('libraries.index_sha256')),
      ]),
    );
  const gone = db
    .selectFrom('searched_libraries as searched')
    .leftJoin('libraries', 'libraries.id', 'searched.library_id')
    .select(['searched.library_id as library_id', ...queued])
    .where('libraries.id', 'is', null);
  for (const found of [changed, gone])
    await insert
      .expression(found)
      .onConflict((on) => on.doNothing())
      .execute();
}
