import { type BodyOf, LIMITS, type routes, type Watch } from '@bindery/contract';
import type { Selectable } from 'kysely';
import { type LibraryAddress, lockLibraryForWrite } from '../../access/libraries.ts';
import type { NamespaceRow } from '../../access/namespaces.ts';
import { requireAccount, type Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { Context, DatabaseContext } from '../../context.ts';
import { countRows, timeOf } from '../../database/queries.ts';
import type { Database } from '../../database/schema.ts';
import type { WatchesTable } from '../../database/tables/libraries.ts';
import { forbidden, invalidParameter, notFound } from '../../errors.ts';

export async function listWatches(
  { db, clock }: DatabaseContext,
  { id }: Pick<NamespaceRow, 'id'>,
): Promise<Watch[]> {
  const rows = await watchesIn(db, id)
    .selectAll('watches')
    .select('libraries.name')
    .orderBy('libraries.name')
    .limit(LIMITS.watches.perNamespace)
    .execute();
  return rows.map((row) => describeWatch(row, clock()));
}

/**
 * Has the service import a source into an active library again and again, from now on, in place of what it did before.
 * Throws `forbidden` where watching is off and for a namespace that watches too much, and `invalid_parameter` for a
 * source that cannot be watched.
 */
export async function setWatch(
  { db, clock, importer, configuration }: Context,
  viewer: Viewer,
  address: LibraryAddress,
  { source, every }: BodyOf<typeof routes.watches.setWatch>,
): Promise<Watch> {
  const { accountId, userName } = requireAccount(viewer);
  if (configuration.importHosts.length === 0)
    throw forbidden('This service watches no sources: its operator has not set BINDERY_IMPORT_HOSTS.');
  const problem = await importer.problemOf(source);
  if (problem !== null) throw invalidParameter('source', `source: ${problem}`);
  const now = clock();
  return db.transaction().execute(async (trx) => {
    const { row: library } = await lockLibraryForWrite(trx, viewer, address);
    if (library.state !== 'active') throw notFound();
    await requireRoom(trx, library.namespace_id, library.id);
    const fresh = {
      ...{ source, every, account_id: accountId, set_by: userName, set_at: now, due_at: now },
      ...{ failures: 0, problem: null, last_run_at: null, last_result: null, holder: null, held_until: 0 },
    };
    const row = await trx
      .insertInto('watches')
      .values({ library_id: library.id, ...fresh })
      .onConflict((conflict) => conflict.column('library_id').doUpdateSet(fresh))
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(trx, now, actorOf(viewer), {
      action: 'watch.set',
      namespace: { id: library.namespace_id, slug: address.namespace },
      target: address.name,
      details: { source, every },
    });
    return describeWatch({ ...row, name: address.name }, now);
  });
}

/** Ends the watch of a library; a running import of it ends too. Throws `not_found` if there is none. */
export async function removeWatch(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { row: library } = await lockLibraryForWrite(trx, viewer, address);
    const removed = await trx
      .deleteFrom('watches')
      .where('library_id', '=', library.id)
      .returning('source')
      .executeTakeFirst();
    if (!removed) throw notFound();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'watch.remove',
      namespace: { id: library.namespace_id, slug: address.namespace },
      target: address.name,
      details: { source: removed.source },
    });
  });
}

function watchesIn(db: Database, namespaceId: string) {
  return db
    .selectFrom('watches')
    .innerJoin('libraries', 'libraries.id', 'watches.library_id')
    .where('libraries.namespace_id', '=', namespaceId);
}

async function requireRoom(trx: Database, namespaceId: string, libraryId: string): Promise<void> {
  const others = watchesIn(trx, namespaceId).where('watches.library_id', '!=', libraryId);
  if ((await countRows(others)) < LIMITS.watches.perNamespace) return;
  throw forbidden(
    `The namespace watches ${LIMITS.watches.perNamespace} sources, the maximum. End some first.`,
  );
}

function describeWatch(row: Selectable<WatchesTable> & { name: string }, now: number): Watch {
  const { due_at: dueAt, problem } = row;
  const isRunning = row.holder !== null && row.held_until > now;
  return {
    library: row.name,
    source: row.source,
    every: row.every,
    setBy: row.set_by,
    setAt: new Date(row.set_at).toISOString(),
    state: dueAt === null ? 'stopped' : isRunning ? 'running' : problem === null ? 'waiting' : 'failing',
    problem,
    lastRunAt: timeOf(row.last_run_at),
    nextRunAt: timeOf(dueAt),
    lastResult: row.last_result === null ? null : JSON.parse(row.last_result),
  };
}
