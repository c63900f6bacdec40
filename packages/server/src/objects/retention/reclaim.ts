import type { LibraryRow } from '../../access/libraries.ts';
import type { RevisionRow } from '../../access/revision-row.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { RevisionIndex } from '../../revision/revision-index.ts';
import { repeat } from '../../service/repeat.ts';
import { nextTurn, turnIsOver } from '../../service/turns.ts';
import { unlessLost } from '../damaged.ts';
import { lockStore } from '../library-store.ts';
import { releasedRows } from '../references.ts';
import type { ObjectAddress, Reclaimed } from '../store.ts';
import { deleteAbandonedUploads, recentlyUploaded } from '../uploads.ts';
import { deleteDeadStores, deleteDoomed, restoreInterrupted } from './delete.ts';
import { markPending, type UnreferencedObject } from './doomed-objects.ts';
import { type DueStore, gracePeriod, scheduleNext, storesDue } from './retire.ts';

type ReclaimParts = MaintenanceContext & {
  smallThumbnails: Pick<Context['smallThumbnails'], 'deleteStore'>;
};

/** Time between two passes (milliseconds), and how many stores one pass checks. */
const INTERVAL = 5 * 60_000;
const STORES_PER_PASS = 100;

/** Periodically frees the space of unreachable objects. `stop` resolves once a running pass has ended. */
export function startReclaim(context: ReclaimParts): { stop(): Promise<void> } {
  const { log } = context;
  return repeat({ every: INTERVAL, name: 'reclaim', log }, (isStopped) => reclaim(context, isStopped));
}

/**
 * Runs one pass: abandoned uploads, interrupted purges and deletions, stores that are due. Failures are logged and
 * retried by the next pass.
 */
export async function reclaim(context: ReclaimParts, isStopped: () => boolean = () => false): Promise<void> {
  await attempt(context, 'abandoned uploads', () => deleteAbandonedUploads(context));
  await attempt(context, 'purged libraries', () => deleteDeadStores(context));
  await attempt(context, 'interrupted deletions', () => restoreInterrupted(context));
  for (const due of await storesDue(context, STORES_PER_PASS)) {
    if (isStopped()) return;
    await attempt(context, 'replaced revisions', async () => {
      const freed = await reclaimStore(context, due);
      if (freed.objects > 0) context.log.info({ storeId: due.storeId, ...freed }, 'reclaimed objects');
    });
  }
}

async function attempt(
  { log }: MaintenanceContext,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work();
  } catch (error) {
    log.error({ err: error }, `${what} could not be reclaimed`);
  }
}

/** Reclaims every store now, due or not. Unlike a background pass, throws if one fails. */
export async function collectGarbage(context: ReclaimParts): Promise<Reclaimed> {
  await deleteAbandonedUploads(context);
  await deleteDeadStores(context);
  await restoreInterrupted(context);
  const freed: Reclaimed = { objects: 0, bytes: 0 };
  for (const { store_id: storeId, reclaim_marks: marks } of await allStores(context)) {
    const { objects, bytes } = await reclaimStore(context, { storeId, marks });
    freed.objects += objects;
    freed.bytes += bytes;
  }
  return freed;
}

/** Makes every store due, so that the next passes of the service check it. */
export async function makeAllDue({ db, clock }: DatabaseContext): Promise<void> {
  await db
    .updateTable('library_names')
    .set((eb) => ({ reclaim_marks: eb('reclaim_marks', '+', 1), reclaim_due_at: clock() }))
    .execute();
}

/** Returns the store of every library that exists or existed. */
export async function allStores({ db }: DatabaseContext) {
  return db.selectFrom('library_names').select(['store_id', 'reclaim_marks']).orderBy('store_id').execute();
}

/** How many candidates are collected before they are processed: a bound on memory. */
const CANDIDATES = 50_000;

/** How many become pending in one transaction: few enough not to delay a register. */
const MARKED_AT_ONCE = 50;

/** What must be kept of a store. */
interface KeptObjects {
  library: LibraryRow | null;
  /** `library_names.release_changes` before the releases were read. */
  releaseChanges: number;
  /** The library and its releases by index. These indexes can be rebuilt. */
  standing: Map<string, RevisionRow>;
  /** The indexes of these, and of revisions retired within the grace period. */
  indexes: string[];
  /** Manifests, indexes, codes of vectors, lists of artifacts: objects that no closure lists. */
  documents: Set<string>;
}

/**
 * Deletes the objects of a store that are older than the grace period and that neither the current revision, nor a
 * release, nor a revision retired within the grace period refers to. Finds them without a lock, and marks them only
 * while the library and its releases are unchanged; if these change, or an index has to be rebuilt, the store stays
 * due. Marks nothing unless it is certain what is referenced.
 */
export async function reclaimStore(context: MaintenanceContext, due: DueStore): Promise<Reclaimed> {
  const { clock, configuration } = context;
  const before = clock() - gracePeriod(configuration);
  const kept = await findKept(context.db, due.storeId, before);
  const isSearched = await markUnreferenced(context, due.storeId, kept);
  const freed = await deleteDoomed(context, due.storeId, before);
  if (isSearched) await endSearch(context, due, kept, before);
  return freed;
}

/** Makes objects pending that nothing refers to. Returns false if not all objects were checked. */
async function markUnreferenced(
  context: MaintenanceContext,
  storeId: string,
  kept: KeptObjects,
): Promise<boolean> {
  let candidates: UnreferencedObject[] = [];

  async function markCandidates(): Promise<boolean> {
    const others = await dropReferenced(context, storeId, kept, candidates);
    if (others === null) return false;
    const unnamed = await withoutRecent(context, storeId, others);
    candidates = [];
    for (let at = 0; at < unnamed.length; at += MARKED_AT_ONCE) {
      const some = unnamed.slice(at, at + MARKED_AT_ONCE);
      const marked = await unlessChanged(context.db, kept, storeId, (trx) => markPending(trx, storeId, some));
      if (!marked) return false;
    }
    return true;
  }

  for await (const { sha256, storedAt } of context.objects.list(storeId)) {
    if (kept.documents.has(sha256)) continue;
    candidates.push({ sha256, since: storedAt });
    if (candidates.length >= CANDIDATES && !(await markCandidates())) return false;
  }
  return markCandidates();
}

/**
 * Deletes the rows of expired revisions and schedules the next pass, unless the library changed: a concurrent register
 * would retire a revision that this pass took for the current one.
 */
async function endSearch(
  context: MaintenanceContext,
  due: DueStore,
  kept: KeptObjects,
  retiredBefore: number,
): Promise<void> {
  await unlessChanged(context.db, kept, due.storeId, async (trx) => {
    await trx
      .deleteFrom('retired_revisions')
      .where('store_id', '=', due.storeId)
      .where('retired_at', '<', retiredBefore)
      .execute();
    await scheduleNext({ ...context, db: trx }, due);
  });
}

/** Returns what must be kept of a store, including revisions retired since `retiredBefore`. */
export async function findKept(
  db: Context['db'],
  storeId: string,
  retiredBefore: number,
): Promise<KeptObjects> {
  const names = await db
    .selectFrom('library_names')
    .select('release_changes')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  const { library, releases, retired } = await revisionsOf(db, storeId, retiredBefore);
  const rows = library ? [...releases, library] : releases;
  const revisions = [...rows, ...retired];
  const indexes = [...new Set(revisions.map(({ index_sha256 }) => index_sha256))];
  const others = revisions.flatMap(({ manifest_sha256, codes_sha256, artifacts_sha256 }) =>
    [manifest_sha256, codes_sha256, artifacts_sha256].filter((sha256) => sha256 !== null),
  );
  return {
    library,
    releaseChanges: names?.release_changes ?? 0,
    standing: new Map(rows.map((row) => [row.index_sha256, row])),
    indexes,
    documents: new Set([...indexes, ...others]),
  };
}

/**
 * Returns the revisions of a store whose objects are kept: the library's, those of releases, and those retired since
 * `retiredBefore`.
 */
export async function revisionsOf(db: Context['db'], storeId: string, retiredBefore: number) {
  const library = await libraryOf(db, storeId);
  const releases = await releasedRows(db, storeId);
  const retired = await db
    .selectFrom('retired_revisions')
    .select(['index_sha256', 'manifest_sha256', 'codes_sha256', 'artifacts_sha256'])
    .where('store_id', '=', storeId)
    .where('retired_at', '>=', retiredBefore)
    .execute();
  return { library, releases, retired };
}

/**
 * Returns the candidates that no index refers to, with one index in memory at a time. If the index of the library or of
 * a release cannot be read, rebuilds it and returns null.
 */
async function dropReferenced(
  { objects, indexRepairer }: MaintenanceContext,
  storeId: string,
  { standing, indexes }: KeptObjects,
  candidates: readonly UnreferencedObject[],
): Promise<UnreferencedObject[] | null> {
  let unnamed = [...candidates];
  for (const sha256 of indexes) {
    if (unnamed.length === 0) break;
    const index = await unlessLost(openIndex(objects, { storeId, sha256 }));
    const row = standing.get(sha256);
    if (index === null && row !== undefined) {
      await indexRepairer.repair(row);
      return null;
    }
    if (index === null) throw new Error(`the index ${sha256} of a replaced revision is damaged or missing`);
    const { files } = index;
    const left: UnreferencedObject[] = [];
    for (const candidate of unnamed) {
      if (files.sizeOfContent(candidate.sha256) === null) left.push(candidate);
      if (turnIsOver()) await nextTurn();
    }
    unnamed = left;
  }
  return unnamed;
}

/** Drops what was uploaded within the last day and may yet be registered, in stores without a staging area. */
async function withoutRecent(
  { db, objects }: MaintenanceContext,
  storeId: string,
  candidates: readonly UnreferencedObject[],
): Promise<readonly UnreferencedObject[]> {
  if (objects.hasStaging) return candidates;
  const hashes = candidates.map(({ sha256 }) => sha256);
  const recent = await recentlyUploaded(db, storeId, hashes);
  return candidates.filter(({ sha256 }) => !recent.has(sha256));
}

async function openIndex(objects: Context['objects'], address: ObjectAddress): Promise<RevisionIndex> {
  return RevisionIndex.open(await objects.read(address));
}

/**
 * Runs `work` in a transaction in which no revision is committed. Returns false if library or releases have changed or
 * the library was purged.
 */
async function unlessChanged(
  db: Context['db'],
  { library, releaseChanges }: KeptObjects,
  storeId: string,
  work: (trx: Database) => Promise<void>,
): Promise<boolean> {
  return db.transaction().execute(async (trx) => {
    const store = await lockStore(trx, storeId);
    // Nobody would delete rows of a purged store.
    if (store?.release_changes !== releaseChanges) return false;
    if (!isSame(await libraryOf(trx, storeId), library)) return false;
    await work(trx);
    return true;
  });
}

/** Compares indexes as well: one that was rebuilt meanwhile is an object that the pass may have taken for an orphan. */
function isSame(now: LibraryRow | null, before: LibraryRow | null): boolean {
  return (
    now?.id === before?.id && now?.revision === before?.revision && now?.index_sha256 === before?.index_sha256
  );
}

async function libraryOf(db: Context['db'], storeId: string): Promise<LibraryRow | null> {
  const row = await db.selectFrom('libraries').selectAll().where('store_id', '=', storeId).executeTakeFirst();
  return row ?? null;
}
