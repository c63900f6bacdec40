import { LIMITS } from '@bindery/contract';
import type { Database } from '../../database/schema.ts';
import type { BuiltRevision } from './revision-workers.ts';

interface RegisterRecord {
  storeId: string;
  built: Pick<BuiltRevision, 'aggregates' | 'assetChanges'>;
  registeredBy: string;
}

/** Records what a register changed, as part of its commit, and deletes the oldest records. */
export async function logRegister(
  trx: Database,
  { storeId, built, registeredBy }: RegisterRecord,
  revision: number,
  now: number,
): Promise<void> {
  const { aggregates, assetChanges } = built;
  await trx
    .insertInto('register_log')
    .values({
      store_id: storeId,
      revision,
      registered_by: registeredBy,
      registered_at: now,
      asset_count: aggregates.assetCount,
      file_count: aggregates.fileCount,
      total_bytes: aggregates.totalBytes,
      assets_added: assetChanges.added,
      assets_removed: assetChanges.removed,
      assets_changed: assetChanges.changed,
    })
    .execute();
  await trx
    .deleteFrom('register_log')
    .where('store_id', '=', storeId)
    .where('revision', '<=', revision - LIMITS.loggedRegisters)
    .execute();
}
