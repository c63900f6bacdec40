import { RELEASED_COLUMNS, type RevisionRow } from '../access/revision-row.ts';
import type { Database } from '../database/schema.ts';

/** Returns every release of a store's library, as library rows at the released revisions. */
export async function releasedRows(db: Database, storeId: string): Promise<RevisionRow[]> {
  return db
    .selectFrom('releases')
    .innerJoin('libraries', 'libraries.store_id', 'releases.store_id')
    .where('releases.store_id', '=', storeId)
    .select(RELEASED_COLUMNS)
    .execute();
}
