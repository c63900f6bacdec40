import type { MaintenanceContext } from '../context.ts';
import type { Database } from '../database/schema.ts';

/**
 * Queues a library for the search engine, if there is one, in the transaction that changes what is searched of it. What is
 * queued already counts as changed again.
 */
export async function queueForSearch(
  { configuration, clock }: Pick<MaintenanceContext, 'configuration' | 'clock'>,
  trx: Database,
  libraryId: string,
): Promise<void> {
  if (configuration.searchEngine === null) return;
  await trx
    .insertInto('search_changes')
    .values({ library_id: libraryId, changes: 1, queued_at: clock() })
    .onConflict((conflict) =>
      conflict.column('library_id').doUpdateSet((eb) => ({ changes: eb('search_changes.changes', '+', 1) })),
    )
    .execute();
}
