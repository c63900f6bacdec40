import { chunks } from '@bindery/concurrency';
import type { LibraryRow, RevisionRow } from '../../access/libraries.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../../context.ts';
import type { Database } from '../../database/schema.ts';
import { lockStore } from '../library-store.ts';
import { isContentLost } from '../open-revision.ts';
import {
  atRetired,
  differencesOf,
  distinctRevisions,
  dropListed,
  libraryOf,
  openClosure,
  type References,
  referencesOf,
} from '../references.ts';
import type { Reclaimed } from '../store.ts';
import { deleteAbandonedUploads, recentlyUploaded } from '../uploads.ts';
import { deletePending, deletePurgedStores, type ReclaimContext, restoreInterrupted } from './delete.ts';
import { markPending, type UnreferencedObject, unmarkPending } from './doomed-objects.ts';
import { type DueStore, gracePeriod, isKept, returnStore, scheduleNext, takeDueStore } from './retire.ts';

/** Milliseconds after which a pass leaves the rest to the next one, so that what comes first in it is done in time. */
const MAX_PASS = 5 * 60_000;

/**
 * Runs one pass: abandoned uploads, interrupted purges and deletions, stores that are due. Failures are logged and
 * retried by the next pass. Several servers share the stores: each takes those that no other has.
 */
export async function reclaim(
  context: ReclaimContext,
  isStopped: () => boolean = () => false,
): Promise<void> {
  await attempt(context, 'abandoned uploads', () => deleteAbandonedUploads(context));
  await attempt(context, 'purged libraries', () => deletePurgedStores(context));
  await attempt(context, 'interrupted deletions', () => restoreInterrupted(context));
  const { db, clock, log } = context;
  const [now, since] = [clock(), performance.now()];
  let taken = await takeDueStore(db, now);
  for (; taken !== null; taken = await takeDueStore(db, now, taken)) {
    const store = taken;
    await attempt(context, 'replaced revisions', async () => {
      const freed = await reclaimStore(context, store).finally(() => returnStore(db, store));
      if (freed.objects > 0) log.info({ storeId: store.storeId, ...freed }, 'reclaimed objects');
    });
    if (isStopped() || performance.now() - since > MAX_PASS) return;
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
export async function collectGarbage(context: ReclaimContext): Promise<Reclaimed> {
  await deleteAbandonedUploads(context);
  await deletePurgedStores(context);
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
interface KeptObjects extends References {
  /** `library_names.release_changes` before the releases were read. */
  releaseChanges: number;
}

/**
 * Deletes the objects of a store that are older than the grace period and that neither the current revision, nor a
 * release, an open proposal or a retired revision that is kept refers to. Finds them without a lock, and marks them only
 * while the library and its releases are unchanged; if these change, or an index has to be rebuilt, the store stays
 * due. Marks nothing unless it is certain what is referenced.
 */
export async function reclaimStore(context: MaintenanceContext, due: DueStore): Promise<Reclaimed> {
  const { clock, configuration } = context;
  const now = clock();
  const before = now - gracePeriod(configuration);
  const kept = await findKept(context, due.storeId, now);
  await keepProposed(context, due.storeId, kept);
  const isSearched = await markUnreferenced(context, due.storeId, kept);
  const freed = await deletePending(context, due.storeId, before);
  if (isSearched) await endSearch(context, due, kept, now);
  return freed;
}

/** Takes back what a server of a release without proposals, while it was replaced, has marked of those that are open. */
async function keepProposed(context: MaintenanceContext, storeId: string, kept: KeptObjects): Promise<void> {
  for (const proposal of kept.proposals) {
    const files = await openClosure(context.objects, { storeId, sha256: proposal.index_sha256 });
    const isNamed = (sha256: string) =>
      kept.documents.has(sha256) || (files?.sizeOfContent(sha256) ?? null) !== null;
    await unlessChanged(context.db, kept, storeId, (trx) => unmarkPending(trx, storeId, isNamed));
  }
}

/** Milliseconds for which a revision that is kept as differences is kept whole, for those who began to read it. */
const WHOLE_FOR = 10 * 60_000;

/** The most other indexes that are read to find out whether a manifest is a file of theirs. */
const MAX_INDEXES = 8;

/**
 * Deletes the manifests and indexes of replaced revisions that are kept as differences, without a search for whatever
 * else may be unreferenced: those of a large library that changes often would fill the disk within the grace period.
 */
export async function dropWhole(context: MaintenanceContext, storeId: string): Promise<void> {
  const { db, clock } = context;
  const kept = await findKept(context, storeId, clock(), WHOLE_FOR);
  const { library, releases, proposals, retired, documents } = kept;
  const others = retired.filter((revision) => differencesOf(revision) === null);
  if (library === null || distinctRevisions([...releases, ...proposals, ...others]).length > MAX_INDEXES)
    return;
  const candidates: UnreferencedObject[] = [];
  for (const revision of retired.toSorted((a, b) => b.revision - a.revision)) {
    if (differencesOf(revision) === null || revision.retired_at >= clock() - WHOLE_FOR) continue;
    const { manifest_sha256, index_sha256 } = atRetired(library, revision);
    const unnamed = [manifest_sha256, index_sha256].filter((sha256) => !documents.has(sha256));
    const sizes = await Promise.all(unnamed.map((sha256) => context.objects.size({ storeId, sha256 })));
    const stored = unnamed.filter((_, at) => sizes[at] !== null);
    // Those of the revisions before it went when it was replaced.
    if (unnamed.length > 0 && stored.length === 0) break;
    candidates.push(...stored.map((sha256) => ({ sha256, since: 0 })));
  }
  if (candidates.length === 0) return;
  const unlisted = await dropReferenced(context, storeId, kept, candidates);
  if (unlisted === null) return;
  await unlessChanged(db, kept, storeId, (trx) => markPending(trx, storeId, unlisted));
  await deletePending(context, storeId, 0);
}

/** Makes objects pending that nothing refers to. Returns false if not all objects were checked. */
async function markUnreferenced(
  context: MaintenanceContext,
  storeId: string,
  kept: KeptObjects,
): Promise<boolean> {
  let candidates: UnreferencedObject[] = [];

  async function markCandidates(): Promise<boolean> {
    const unlisted = await dropReferenced(context, storeId, kept, candidates);
    if (unlisted === null) return false;
    const unreferenced = await withoutRecent(context, storeId, unlisted);
    candidates = [];
    for (const some of chunks(unreferenced, MARKED_AT_ONCE)) {
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
  now: number,
): Promise<void> {
  await unlessChanged(context.db, kept, due.storeId, async (trx) => {
    await trx
      .deleteFrom('retired_revisions')
      .where('store_id', '=', due.storeId)
      .where((eb) => eb.not(isKept(context.configuration, now)(eb)))
      .execute();
    await scheduleNext({ ...context, db: trx }, due);
  });
}

async function findKept(
  context: MaintenanceContext,
  storeId: string,
  now: number,
  wholeFor?: number,
): Promise<KeptObjects> {
  const names = await context.db
    .selectFrom('library_names')
    .select('release_changes')
    .where('store_id', '=', storeId)
    .executeTakeFirst();
  const references = await referencesOf(context, storeId, now, wholeFor);
  return { ...references, releaseChanges: names?.release_changes ?? 0 };
}

/**
 * Returns the candidates that no index lists. If an index is damaged or missing, rebuilds it and returns null.
 */
async function dropReferenced(
  context: MaintenanceContext,
  storeId: string,
  { library, releases, proposals, retired, indexes }: KeptObjects,
  candidates: readonly UnreferencedObject[],
): Promise<UnreferencedObject[] | null> {
  const { objects, indexRepairer } = context;
  const { left, lostIndex } = await dropListed(objects, storeId, indexes, candidates);
  if (lostIndex === null) return left;
  const replaced = retired.filter(({ described }) => described !== null);
  const standing: RevisionRow[] = library
    ? [library, ...releases, ...proposals, ...replaced.map((revision) => atRetired(library, revision))]
    : releases;
  const row = standing.find(({ index_sha256, differences }) => (differences ?? index_sha256) === lostIndex);
  if (!row) throw new Error(`the index ${lostIndex} of a replaced revision is damaged or missing`);
  if (row.differences !== undefined) {
    await forgetLostHistory(context, row);
    return null;
  }
  try {
    await indexRepairer.repair(row);
  } catch (error) {
    if (!row.isRetired || !isContentLost(error)) throw error;
    await forgetLostHistory(context, row);
  }
  return null;
}

/**
 * Nobody can read a revision whose manifest is lost too, or those that are made of it, so past the grace period they no
 * longer keep anything.
 */
async function forgetLostHistory(
  { db, clock, configuration }: MaintenanceContext,
  { store_id, revision }: RevisionRow,
): Promise<void> {
  await db
    .deleteFrom('retired_revisions')
    .where('store_id', '=', store_id)
    .where(({ eb, or, and }) =>
      or([
        eb('revision', '=', revision),
        and([eb('revision', '<', revision), eb('manifest_sha256', '=', eb.ref('index_sha256'))]),
      ]),
    )
    .where('retired_at', '<', clock() - gracePeriod(configuration))
    .execute();
}

/** Drops what was uploaded within the last day and may yet be registered, in stores without a staging area. */
async function withoutRecent(
  { db, objects }: MaintenanceContext,
  storeId: string,
  candidates: readonly UnreferencedObject[],
): Promise<readonly UnreferencedObject[]> {
  if (objects.hasStaging) return candidates;
  const hashes = candidates.map(({ sha256 }) => sha256);
  const recent = await recentlyUploaded({ db, storeId }, hashes);
  return candidates.filter(({ sha256 }) => !recent.has(sha256));
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

/** Compares indexes as well: one that was rebuilt meanwhile is an object that the pass may have taken for unreferenced. */
function isSame(now: LibraryRow | null, before: LibraryRow | null): boolean {
  return (
    now?.id === before?.id && now?.revision === before?.revision && now?.index_sha256 === before?.index_sha256
  );
}
