import { type BodyOf, LIMITS, type Release, type routes } from '@bindery/contract';
import {
  findRevision,
  type LibraryAddress,
  type LibraryRow,
  lockLibraryForWrite,
  REVISION_COLUMNS,
} from '../../access/libraries.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { DatabaseContext, MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import type { RevisionColumns } from '../../database/tables/libraries.ts';
import { notFound, ServiceError } from '../../errors.ts';
import { countReleaseChange, lockStore } from '../../objects/library-store.ts';
import { afterGrace, marked, retire } from '../../objects/retention/retire.ts';
import { revisionConflict } from '../publish/commit.ts';
import { describeRelease, readRelease } from './read.ts';

/**
 * Creates a release: a name for the current revision of an active library. None of its objects is pending deletion,
 * because no object of a current revision ever is; from here on, no reclaim pass that began earlier marks anything.
 * A request that names its revision can be repeated: the release that it made is the answer. Throws the errors that the
 * route lists.
 */
export async function createRelease(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: LibraryAddress,
  { name, notes, revision }: BodyOf<typeof routes.releases.createRelease>,
): Promise<Release> {
  const { accountId, userName } = requireAccount(viewer);
  return db.transaction().execute(async (trx) => {
    const found = await lockLibraryForWrite(trx, viewer, address);
    await lockStore(trx, found.row.store_id);
    // Read again: a register may have replaced it before the lock was taken.
    const row = await findRevision(trx, found.row);
    if (row?.state !== 'active' || row.store_id !== found.row.store_id) throw notFound();
    if (revision !== undefined && revision !== row.revision) throw revisionConflict(row.revision);
    await requireRoom(trx, row.store_id);
    const release = {
      ...revisionOf(row),
      store_id: row.store_id,
      name,
      notes: notes ?? null,
      created_by: accountId,
      created_at: clock(),
    };
    const made = await trx
      .insertInto('releases')
      .values(release)
      .onConflict((conflict) => conflict.columns(['store_id', 'name']).doNothing())
      .executeTakeFirst();
    if (!made.numInsertedOrUpdatedRows) {
      const existing = await readRelease({ db: trx, clock }, found, name);
      const isSame = existing.revision === revision && (notes ?? existing.notes) === existing.notes;
      if (isSame) return existing;
      throw releaseExists(name);
    }
    await countReleaseChange(trx, row.store_id);
    await recordAudit(trx, release.created_at, actorOf(viewer), {
      action: 'release.create',
      namespace: { id: row.namespace_id, slug: address.namespace },
      target: `${address.name}@${name}`,
      details: { revision: row.revision },
    });
    return describeRelease(release, userName);
  });
}

async function requireRoom(trx: Database, storeId: string): Promise<void> {
  const { total } = await trx
    .selectFrom('releases')
    .select((eb) => eb.fn.countAll<number>().as('total'))
    .where('store_id', '=', storeId)
    .executeTakeFirstOrThrow();
  if (Number(total) < LIMITS.releases) return;
  throw new ServiceError(
    'too_many_releases',
    `The library has ${LIMITS.releases} releases, the maximum. Delete some first.`,
  );
}

/** The columns of the row that describe its revision. */
function revisionOf(row: LibraryRow): Pick<LibraryRow, keyof RevisionColumns> {
  return Object.fromEntries(REVISION_COLUMNS.map((column) => [column, row[column]])) as Pick<
    LibraryRow,
    keyof RevisionColumns
  >;
}

function releaseExists(name: string): ServiceError {
  return new ServiceError(
    'release_exists',
    `The library already has a release "${name}". A release never changes: choose another name.`,
  );
}

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
