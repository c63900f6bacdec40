import { type LibraryAddress, lockLibraryForWrite } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { MaintenanceContext } from '../../context.ts';
import { notFound } from '../../errors.ts';
import { countReleaseChange, lockStore } from '../../objects/library-store.ts';
import { afterGrace, marked } from '../../objects/retention/due.ts';
import { retire } from '../../objects/retention/retire.ts';

/** Deletes a release. As for a replaced revision, unreferenced objects are deleted after the grace period. */
export async function deleteRelease(
  { db, clock, configuration }: MaintenanceContext,
  viewer: Viewer,
  { release: name, ...address }: LibraryAddress & { release: string },
): Promise<void> {
  const now = clock();
  await db.transaction().execute(async (trx) => {
    const { row } = await lockLibraryForWrite(trx, viewer, address);
    if (row.state !== 'active') throw notFound();
    await lockStore(trx, row.store_id);
    const release = await trx
      .deleteFrom('releases')
      .where('store_id', '=', row.store_id)
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst();
    if (!release) throw notFound();
    await retire(trx, release, now);
    await countReleaseChange(trx, row.store_id);
    await trx
      .updateTable('library_names')
      .set(marked(afterGrace(configuration, now)))
      .where('store_id', '=', row.store_id)
      .execute();
    await recordAudit(trx, now, actorOf(viewer), {
      action: 'release.delete',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: `${address.name}@${name}`,
      details: { revision: release.revision },
    });
  });
}
