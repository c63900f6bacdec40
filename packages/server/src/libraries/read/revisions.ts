import { LIMITS, type LibraryHistory, type LoggedRegister } from '@bindery/contract';
import {
  loadLibrary,
  type NumberedAddress,
  proposedRows,
  RELEASED_COLUMNS,
  type ReadableLibrary,
  type RevisionRow,
} from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { notFound } from '../../errors.ts';
import {
  atRetired,
  distinctRevisions,
  documentsOf,
  dropListed,
  openClosure,
  type References,
  referencesOf,
  retiredRevisions,
} from '../../objects/references.ts';
import { isKept } from '../../objects/retention/retire.ts';
import type { StoredObject } from '../../objects/store.ts';
import { nextTurn, turnIsOver } from '../../process/turns.ts';

/**
 * Like `loadLibrary`; with a number, at that revision: the current one, a released one or, for those who manage the
 * library, one that was replaced and is kept, or what an open proposal makes of it. What else has that number is missing.
 */
export async function loadRevision(
  context: MaintenanceContext,
  viewer: Viewer,
  { revision, proposal, ...address }: NumberedAddress,
): Promise<ReadableLibrary> {
  const library = await loadLibrary(context.db, viewer, address);
  if (proposal !== undefined) {
    const isAlone = revision === undefined && address.release === undefined;
    const [row] =
      library.viewerCanManage && isAlone ? await proposedRows(context.db, library.row, proposal) : [];
    if (row === undefined) throw notFound();
    return { ...library, row };
  }
  if (revision === undefined || revision === library.row.revision) return library;
  if (address.release !== undefined) throw notFound();
  const row = library.viewerCanManage
    ? await findKeptRevision(context, library.row, revision)
    : await findReleased(context.db, library.row, revision);
  if (row === null) throw notFound();
  return { ...library, row };
}

/** Returns the revision with a number, if it is released or kept; for those who manage the library. */
export async function findKeptRevision(
  context: MaintenanceContext,
  library: RevisionRow,
  revision: number,
): Promise<RevisionRow | null> {
  return (
    (await findReleased(context.db, library, revision)) ?? (await findRetired(context, library, revision))
  );
}

async function findReleased(
  db: Context['db'],
  library: RevisionRow,
  revision: number,
): Promise<RevisionRow | null> {
  const row = await db
    .selectFrom('libraries')
    .innerJoin('releases', 'releases.store_id', 'libraries.store_id')
    .where('libraries.id', '=', library.id)
    .where('releases.revision', '=', revision)
    .select(RELEASED_COLUMNS)
    .executeTakeFirst();
  return row ?? null;
}

async function findRetired(
  { db, clock, configuration, objects }: MaintenanceContext,
  library: RevisionRow,
  revision: number,
): Promise<RevisionRow | null> {
  const storeId = library.store_id;
  const found = await retiredRevisions(db, storeId)
    .where('revision', '=', revision)
    .where(isKept(configuration, clock()))
    .executeTakeFirst();
  if (!found) return null;
  const row = atRetired(library, found);
  const size = await objects.size({ storeId, sha256: found.manifest_sha256 });
  if (size === null) return null;
  return row.differences === undefined ? { ...row, manifest_size: size } : row;
}

/** The last registers of a library, newest first. */
export async function readLog(
  { db, clock, configuration }: MaintenanceContext,
  { row, viewerCanManage }: ReadableLibrary,
): Promise<LoggedRegister[]> {
  const storeId = row.store_id;
  const registers = await db
    .selectFrom('register_log')
    .leftJoin('accounts', 'accounts.id', 'register_log.registered_by')
    .selectAll('register_log')
    .select('accounts.user_name')
    .where('register_log.store_id', '=', storeId)
    .orderBy('register_log.revision', 'desc')
    .limit(LIMITS.loggedRegisters)
    .execute();
  const releases = await db
    .selectFrom('releases')
    .select(['name', 'revision'])
    .where('store_id', '=', storeId)
    .orderBy('created_at')
    .orderBy('name')
    .execute();
  const namesOf = Map.groupBy(releases, ({ revision }) => revision);
  const retired = await retiredRevisions(db, storeId).where(isKept(configuration, clock())).execute();
  const kept = new Set([row.revision, ...namesOf.keys()]);
  if (viewerCanManage) for (const { revision } of retired) kept.add(revision);
  return registers.map((register) => ({
    revision: register.revision,
    registeredAt: new Date(register.registered_at).toISOString(),
    registeredBy: viewerCanManage ? register.user_name : null,
    assetsAdded: register.assets_added,
    assetsRemoved: register.assets_removed,
    assetsChanged: register.assets_changed,
    assetCount: register.asset_count,
    fileCount: register.file_count,
    totalBytes: register.total_bytes,
    releases: (namesOf.get(register.revision) ?? []).map(({ name }) => name),
    isReadable: kept.has(register.revision),
  }));
}

/** Returns which earlier revisions of a library are kept, and what is stored for them alone. */
export async function readHistory(
  context: MaintenanceContext,
  { row }: ReadableLibrary,
): Promise<LibraryHistory> {
  const { configuration, objects, clock } = context;
  const references = await referencesOf(context, row.store_id, clock());
  const files = await filesOfHistory(context, row.store_id, references);
  const standing = new Set(
    [references.library ?? row, ...references.releases, ...references.proposals].flatMap(documentsOf),
  );
  const stored = [...files];
  for (const sha256 of references.documents.difference(standing)) {
    const size = await objects.size({ storeId: row.store_id, sha256 });
    if (size !== null) stored.push({ sha256, size });
  }
  return {
    days: configuration.historyDays,
    revisions: references.retired.length,
    objects: stored.length,
    bytes: stored.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Returns the files that only replaced revisions have. What a lost index lists is left out. */
async function filesOfHistory(
  { objects }: MaintenanceContext,
  storeId: string,
  { library, releases, proposals, retired }: References,
): Promise<StoredObject[]> {
  const current = library && (await openClosure(objects, { storeId, sha256: library.index_sha256 }));
  const found = new Map<string, number>();
  for (const { index_sha256: sha256 } of distinctRevisions(retired)) {
    const files = await openClosure(objects, { storeId, sha256 });
    for (let place = 0; place < (files?.count ?? 0); place++) {
      if (files && !current?.holdsContentOf(files, place)) found.set(files.sha256(place), files.size(place));
      if (turnIsOver()) await nextTurn();
    }
  }
  const candidates = Array.from(found, ([sha256, size]) => ({ sha256, size }));
  const released = distinctRevisions([...releases, ...proposals]).map(({ index_sha256 }) => index_sha256);
  return (await dropListed(objects, storeId, released, candidates)).left;
}
