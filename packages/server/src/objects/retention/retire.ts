import type { Database } from '../../database/schema.ts';
import type { RetiredRevisionsTable } from '../../database/tables/libraries.ts';

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
