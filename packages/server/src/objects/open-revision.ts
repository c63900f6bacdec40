import { findRevision, type IndexedRow, type RevisionRow } from '../access/libraries.ts';
import type { MaintenanceContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { notFound, ServiceError } from '../errors.ts';
import { readArtifactList, type StoredArtifact } from '../revision/encode-index.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import { isLost, unlessLost } from './damaged.ts';
import type { ObjectStore } from './store.ts';

/** A library row with the index of the same revision. */
export interface OpenedRevision<Row extends IndexedRow = RevisionRow> {
  row: Row;
  index: RevisionIndex;
}

/**
 * Opens the index of a library's revision, or of a newer one; see `readCurrent`. An index that is damaged or missing is
 * rebuilt first. Throws what `IndexRepair.repair` does.
 */
export async function openRevision<Row extends IndexedRow>(
  { db, revisions, indexRepairer }: MaintenanceContext,
  library: Row,
): Promise<OpenedRevision<Row>> {
  const open = async (row: Row) => ({
    row,
    index: await revisions.load({ storeId: row.store_id, sha256: row.index_sha256 }),
  });
  return readCurrent(db, library, (row) =>
    open(row).catch(async (error: unknown) => {
      if (!isLost(error)) throw error;
      const now = row.differences === undefined ? await findRevision(db, row) : row;
      if (now?.revision !== row.revision) throw error;
      return open(withColumnsOf(row, await indexRepairer.repair(now)));
    }),
  );
}

/** A row that was read whole stands for one of which some columns were read. */
function withColumnsOf<Row extends IndexedRow>(_: Row, whole: RevisionRow): Row {
  return whole as IndexedRow as Row;
}

/** Makes manifest and index of a revision that is kept as differences, unless both are there. Throws as `repair` does. */
export async function makeWhole(
  { objects, indexRepairer }: MaintenanceContext,
  row: RevisionRow,
): Promise<RevisionRow> {
  if (row.differences === undefined || (await documentsAreStored(objects, row))) return row;
  return indexRepairer.repair(row);
}

/** Whether the manifest and the index of a revision are stored. */
export async function documentsAreStored(
  objects: Pick<ObjectStore, 'size'>,
  { store_id: storeId, manifest_sha256, index_sha256 }: RevisionRow,
): Promise<boolean> {
  const documents = [manifest_sha256, index_sha256];
  const sizes = await Promise.all(documents.map((sha256) => objects.size({ storeId, sha256 })));
  return !sizes.includes(null);
}

/**
 * Reads an object of a library's revision. If it no longer exists because the library (or the release of that name) has
 * moved on since the row was read, reads the object of the newer revision. Throws `not_found` if the library or release
 * no longer exists or the library is in the Trash.
 */
export async function readCurrent<Row extends IndexedRow, Result>(
  db: Database,
  row: Row,
  read: (row: Row) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(row);
  } catch (error) {
    if (!isLost(error)) throw error;
    const now = await findRevision(db, row);
    if (now?.state !== 'active') throw notFound();
    if (now.revision === row.revision) throw error;
    return read(withColumnsOf(row, now));
  }
}

/**
 * The platform artifacts of a revision according to the list that was stored with it: all that is still known of a
 * revision without manifest and index. Null if it has no list or that is lost too.
 */
export async function listedArtifacts(
  objects: ObjectStore,
  { store_id: storeId, artifacts_sha256: sha256 }: Pick<RevisionRow, 'store_id' | 'artifacts_sha256'>,
): Promise<StoredArtifact[] | null> {
  const bytes = sha256 && (await unlessLost(objects.read({ storeId, sha256 })));
  return bytes ? readArtifactList(bytes) : null;
}

/** Returns null if the service has lost what the operation needs. */
export async function unlessContentLost<Value>(operation: Promise<Value>): Promise<Value | null> {
  try {
    return await operation;
  } catch (error) {
    if (isContentLost(error)) return null;
    throw error;
  }
}

export function isContentLost(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'content_lost';
}
