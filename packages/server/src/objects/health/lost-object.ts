import type { RevisionRow } from '../../access/libraries.ts';
import type { MaintenanceContext } from '../../context.ts';
import { openRevision } from '../open-revision.ts';
import { releasedRows } from '../released-rows.ts';
import type { ObjectAddress } from '../store.ts';

/**
 * Whether a missing object is lost: a library or one of its releases refers to it. If so, logs and counts it. Other
 * missing objects were reclaimed with their revision or purged with their library.
 */
export async function reportIfLost(
  context: MaintenanceContext,
  { storeId, sha256 }: ObjectAddress,
): Promise<boolean> {
  const library = await context.db
    .selectFrom('libraries')
    .selectAll()
    .where('store_id', '=', storeId)
    .where('state', '=', 'active')
    .executeTakeFirst();
  if (!library) return false;
  const rows = [library, ...(await releasedRows(context.db, storeId))];
  if (!(await anyRefersTo(context, rows, sha256))) return false;
  context.log.error(
    { storeId, library: library.name, sha256 },
    'a file of a library is missing from the store',
  );
  context.metrics.damageFound('file');
  return true;
}

async function anyRefersTo(
  context: MaintenanceContext,
  rows: readonly RevisionRow[],
  sha256: string,
): Promise<boolean> {
  for (const row of new Map(rows.map((row) => [row.index_sha256, row])).values()) {
    const { index } = await openRevision(context, row);
    if (index.files.sizeOfContent(sha256) !== null) return true;
  }
  return false;
}
