import { type LibraryRow, proposedRows, RELEASED_COLUMNS, type RevisionRow } from '../access/libraries.ts';
import type { MaintenanceContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import type { RetiredRevisionsTable } from '../database/tables/libraries.ts';
import { nextTurn, turnIsOver } from '../process/turns.ts';
import type { FileClosure } from '../revision/file-closure.ts';
import { RevisionIndex } from '../revision/revision-index.ts';
import { unlessLost } from './damaged.ts';
import { openRevision } from './open-revision.ts';
import { gracePeriod, isKept } from './retention/retire.ts';
import type { ObjectAddress, ObjectStore } from './store.ts';

/*
 * Who references an object. A revision references its documents, which its row names, and the files of its closure,
 * which its index lists. Reclaim, its survey, fsck, repairs and backups ask here.
 */

/** The objects of a revision that its closure does not list. One of them, the index, contains the closure. */
export type Documents = Pick<
  RetiredRevisionsTable,
  'index_sha256' | 'manifest_sha256' | 'codes_sha256' | 'artifacts_sha256'
>;

export function documentsOf(revision: Documents): string[] {
  const { manifest_sha256, index_sha256, codes_sha256, artifacts_sha256 } = revision;
  return [manifest_sha256, index_sha256, codes_sha256, artifacts_sha256].filter((sha256) => sha256 !== null);
}

/** The revisions of a store whose objects are kept. */
export interface References {
  library: LibraryRow | null;
  releases: RevisionRow[];
  /** What open proposals make of it. */
  proposals: RevisionRow[];
  /** Replaced revisions and deleted releases that are kept. */
  retired: RetiredRevision[];
  /** The indexes of all of these, each once. */
  indexes: string[];
  /** The documents of all of these. */
  documents: Set<string>;
}

/**
 * Returns the revisions that keep objects of a store. One that is kept as differences keeps its manifest and its index
 * as well until it was replaced `wholeFor` milliseconds ago, for those who began to read it.
 */
export async function referencesOf(
  { db, configuration }: Pick<MaintenanceContext, 'db' | 'configuration'>,
  storeId: string,
  now: number,
  wholeFor = gracePeriod(configuration),
): Promise<References> {
  const library = await libraryOf(db, storeId);
  const releases = await releasedRows(db, storeId);
  const retired = await retiredRevisions(db, storeId).where(isKept(configuration, now)).execute();
  const proposals = library ? await proposedRows(db, library) : [];
  const all: Documents[] = [...releases, ...proposals, ...(library ? [library] : []), ...retired];
  const indexes = distinctRevisions(all).map(({ index_sha256 }) => index_sha256);
  const whole = retired.flatMap((revision) => {
    const isRecent = revision.retired_at >= now - wholeFor;
    return isRecent && differencesOf(revision) !== null && library ? [atRetired(library, revision)] : [];
  });
  return {
    library,
    releases,
    proposals,
    retired,
    indexes,
    documents: new Set([...all, ...whole].flatMap(documentsOf)),
  };
}

export type RetiredRevision = Pick<
  RetiredRevisionsTable,
  keyof Documents | 'revision' | 'retired_at' | 'described'
>;

/** Selects the replaced revisions of a store. */
export function retiredRevisions(db: Database, storeId: string) {
  return db
    .selectFrom('retired_revisions')
    .select(['revision', 'index_sha256', 'manifest_sha256', 'codes_sha256', 'artifacts_sha256'])
    .select(['retired_at', 'described'])
    .where('store_id', '=', storeId);
}

/** Returns the library's row as it was at a replaced revision. */
export function atRetired(library: RevisionRow, retired: RetiredRevision): RevisionRow {
  const { described, retired_at: _at, ...documents } = retired;
  const { release: _, ...row } = library;
  if (described === null) return { ...row, ...documents, isRetired: 'undescribed' };
  const differences = differencesOf(retired);
  return differences === null
    ? { ...row, ...JSON.parse(described), ...documents, isRetired: true }
    : { ...row, ...JSON.parse(described), isRetired: true, differences };
}

/** The object with the differences that a replaced revision is kept as; null if it is kept whole. */
export function differencesOf({ manifest_sha256, index_sha256 }: RetiredRevision): string | null {
  return manifest_sha256 === index_sha256 ? index_sha256 : null;
}

export async function libraryOf(db: Database, storeId: string): Promise<LibraryRow | null> {
  const row = await db.selectFrom('libraries').selectAll().where('store_id', '=', storeId).executeTakeFirst();
  return row ?? null;
}

/** Returns every release of a store's library, as library rows at the released revisions. */
export async function releasedRows(db: Database, storeId: string): Promise<RevisionRow[]> {
  return db
    .selectFrom('releases')
    .innerJoin('libraries', 'libraries.store_id', 'releases.store_id')
    .where('releases.store_id', '=', storeId)
    .select(RELEASED_COLUMNS)
    .execute();
}

/** Returns the first revision with each index: those that share one consist of the same files. */
export function distinctRevisions<Row extends Documents>(rows: readonly Row[]): Row[] {
  const seen = new Set<string>();
  return rows.filter(({ index_sha256 }) => seen.size < seen.add(index_sha256).size);
}

/** Returns the files that an index lists; null if it is damaged or missing. */
export async function openClosure(
  objects: Pick<ObjectStore, 'read'>,
  index: ObjectAddress,
): Promise<FileClosure | null> {
  const bytes = await unlessLost(objects.read(index));
  return bytes === null ? null : RevisionIndex.open(bytes).files;
}

/**
 * Drops the candidates that the closures of these indexes list, with one of them in memory at a time. Stops at the
 * first index that is damaged or missing, since what it lists is then unknown.
 */
export async function dropListed<Candidate extends { sha256: string }>(
  objects: Pick<ObjectStore, 'read'>,
  storeId: string,
  indexes: readonly string[],
  candidates: readonly Candidate[],
): Promise<{ left: Candidate[]; lostIndex: string | null }> {
  let left = [...candidates];
  for (const sha256 of indexes) {
    if (left.length === 0) break;
    const files = await openClosure(objects, { storeId, sha256 });
    if (files === null) return { left, lostIndex: sha256 };
    const unlisted: Candidate[] = [];
    for (const candidate of left) {
      if (files.sizeOfContent(candidate.sha256) === null) unlisted.push(candidate);
      if (turnIsOver()) await nextTurn();
    }
    left = unlisted;
  }
  return { left, lostIndex: null };
}

/**
 * Whether a file of a library, of one of its releases or of an open proposal has this content. Rebuilds their indexes
 * where it must.
 */
export async function isFileOf(
  context: MaintenanceContext,
  library: LibraryRow,
  sha256: string,
): Promise<boolean> {
  const { db } = context;
  const named = await releasedRows(db, library.store_id);
  const rows = [library, ...named, ...(await proposedRows(db, library))];
  for (const row of distinctRevisions(rows)) {
    const { index } = await openRevision(context, row);
    if (index.files.sizeOfContent(sha256) !== null) return true;
  }
  return false;
}
