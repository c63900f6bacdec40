import { chunks } from '@bindery/concurrency';
import type { DatabaseContext, MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { queueServiceEvent } from '../../outbox/queue-event.ts';
import { isFileOf } from '../references.ts';
import { contentsOf, type ObjectAddress, type StoredObject } from '../store.ts';
import { recentlyUploaded } from '../uploads.ts';

/** Rows per statement: few enough not to delay other requests. */
const ROWS_AT_ONCE = 500;

/** The hashes of objects that were found damaged and have not been replaced yet. */
export async function damagedObjects(db: Database, storeId: string): Promise<Set<string>> {
  const rows = await db
    .selectFrom('damaged_objects')
    .select('sha256')
    .where('store_id', '=', storeId)
    .execute();
  return new Set(rows.map(({ sha256 }) => sha256));
}

/**
 * Records objects as damaged: until they are replaced, they do not count as stored, and no revision may refer to them.
 * Operators are notified of those not recorded before.
 */
export async function recordDamaged(
  { db, clock }: DatabaseContext,
  storeId: string,
  hashes: readonly string[],
): Promise<void> {
  const found_at = clock();
  await db.transaction().execute(async (trx) => {
    let objects = 0;
    for (const some of chunks(hashes, ROWS_AT_ONCE)) {
      const noted = await trx
        .insertInto('damaged_objects')
        .values(some.map((sha256) => ({ store_id: storeId, sha256, found_at })))
        .onConflict((conflict) => conflict.doNothing())
        .returning('sha256')
        .execute();
      objects += noted.length;
    }
    if (objects > 0) await notifyOperators(trx, storeId, objects, found_at);
  });
}

async function notifyOperators(trx: Database, storeId: string, objects: number, now: number): Promise<void> {
  const library = await trx
    .selectFrom('libraries')
    .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
    .select(['namespaces.slug as namespace', 'libraries.name as library'])
    .where('libraries.store_id', '=', storeId)
    .executeTakeFirst();
  const { namespace = null, library: name = null } = library ?? {};
  const data = { namespace, library: name, objects };
  await queueServiceEvent(trx, now, { event: 'objects.damaged', data });
}

/** Deletes the damage records of objects that are intact again or no longer stored. */
export async function clearDamaged(db: Database, storeId: string, hashes: readonly string[]): Promise<void> {
  for (const some of chunks(hashes, ROWS_AT_ONCE)) {
    await db
      .deleteFrom('damaged_objects')
      .where('store_id', '=', storeId)
      .where('sha256', 'in', some)
      .execute();
  }
}

/** Logs, counts and records objects that were not known to be damaged. */
async function reportDamaged(
  context: MaintenanceContext,
  storeId: string,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  const { log, metrics } = context;
  log.error({ storeId, objects: hashes.slice(0, 10), total: hashes.length }, 'stored objects are damaged');
  for (const _ of hashes) metrics.damageFound('file');
  await recordDamaged(context, storeId, hashes);
}

/** As `reportDamaged`, for an object that may be known to be damaged. Never throws. */
export async function reportUnreadable(
  context: MaintenanceContext,
  { storeId, sha256 }: ObjectAddress,
): Promise<void> {
  const { db, log } = context;
  try {
    const known = await damagedObjects(db, storeId);
    if (!known.has(sha256)) await reportDamaged(context, storeId, [sha256]);
  } catch (error) {
    log.error({ err: error, storeId, sha256 }, 'a damaged object could not be recorded');
  }
}

interface CheckedContents {
  intact: ReadonlySet<string>;
  damaged: readonly string[];
}

/**
 * Reads objects of a store, and records which of them are damaged and which no longer are. Objects deleted before they
 * are read are neither intact nor damaged.
 */
export async function readContents(
  context: MaintenanceContext,
  storeId: string,
  objects: readonly StoredObject[],
): Promise<CheckedContents> {
  const { db } = context;
  const intact = await context.objects.findIntact(storeId, objects);
  const before = await damagedObjects(db, storeId);
  const damaged = await findStored(
    context,
    storeId,
    objects.filter(({ sha256 }) => !intact.has(sha256)),
  );
  await reportDamaged(
    context,
    storeId,
    damaged.filter((sha256) => !before.has(sha256)),
  );
  // Someone repaired the file outside the service.
  const repaired = objects.flatMap(({ sha256 }) =>
    intact.has(sha256) && before.has(sha256) ? [sha256] : [],
  );
  await clearDamaged(context.db, storeId, repaired);
  return { intact, damaged };
}

/** Returns the objects that are stored, whatever their size. */
async function findStored(
  { objects }: MaintenanceContext,
  storeId: string,
  wanted: readonly StoredObject[],
): Promise<string[]> {
  if (wanted.length === 0) return [];
  const absent = new Set(await objects.findAbsent(storeId, contentsOf(wanted)));
  const there: string[] = [];
  for (const [at, { sha256 }] of wanted.entries()) {
    if (!absent.has(at) || (await objects.size({ storeId, sha256 })) !== null) there.push(sha256);
  }
  return there;
}

/**
 * Reads damaged objects that were uploaded again, and clears the damage records of those that are intact. Only for
 * stores without a staging area, where an upload replaces an object immediately.
 */
export async function clearReplacedDamage(context: MaintenanceContext, storeId: string): Promise<void> {
  const { db, objects } = context;
  if (objects.hasStaging) return;
  const damaged = [...(await damagedObjects(db, storeId))];
  if (damaged.length === 0) return;
  const again = await recentlyUploaded({ db, storeId }, damaged);
  const contents = [...again].map((sha256) => ({ sha256, size: 0 }));
  await recordReplaced(context, storeId, [...(await objects.findIntact(storeId, contents))]);
}

/** Records that a push has replaced objects that were damaged or missing, so that they are intact again. */
export async function recordReplaced(
  { db, log, metrics }: MaintenanceContext,
  storeId: string,
  hashes: readonly string[],
): Promise<void> {
  if (hashes.length === 0) return;
  await clearDamaged(db, storeId, hashes);
  log.warn({ storeId, total: hashes.length }, 'lost objects were replaced by a push');
  for (const _ of hashes) metrics.damageRepaired('file');
}

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
  if (!(await isFileOf(context, library, sha256))) return false;
  context.log.error(
    { storeId, library: library.name, sha256 },
    'a file of a library is missing from the store',
  );
  context.metrics.damageFound('file');
  return true;
}
