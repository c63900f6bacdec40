import { findRevision, type RevisionRow } from '../access/libraries.ts';
import type { Context, MaintenanceContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { notFound, ServiceError } from '../errors.ts';
import { readArtifactList, type StoredArtifact } from '../revision/encode-index.ts';
import type { RevisionIndex } from '../revision/revision-index.ts';
import { isLost, unlessLost } from './damaged.ts';
import type { ObjectStore } from './store.ts';

/** A library row with the index of the same revision. */
export interface OpenedRevision {
  row: RevisionRow;
  index: RevisionIndex;
}

/**
 * Opens the index of a library's revision, or of a newer one; see `readCurrent`. An index that is damaged or missing is
 * rebuilt first. Throws what `IndexRepair.repair` does.
 */
export async function openRevision(
  { db, revisions, indexRepairer }: MaintenanceContext,
  library: RevisionRow,
): Promise<OpenedRevision> {
  const open = async (row: RevisionRow) => ({
    row,
    index: await revisions.load({ storeId: row.store_id, sha256: row.index_sha256 }),
  });
  return readCurrent(db, library, (row) =>
    open(row).catch(async (error: unknown) => {
      if (!isLost(error) || (await isSuperseded(db, row))) throw error;
      return open(await indexRepairer.repair(row));
    }),
  );
}

async function isSuperseded(db: Context['db'], row: RevisionRow): Promise<boolean> {
  return (await findRevision(db, row))?.revision !== row.revision;
}

/**
 * Reads an object of a library's revision. If it no longer exists because the library (or the release of that name) has
 * moved on since the row was read, reads the object of the newer revision. Throws `not_found` if the library or release
 * no longer exists or the library is in the Trash.
 */
export async function readCurrent<Result>(
  db: Database,
  row: RevisionRow,
  read: (row: RevisionRow) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(row);
  } catch (error) {
    if (!isLost(error)) throw error;
    const now = await findRevision(db, row);
    if (now?.state !== 'active') throw notFound();
    if (now.revision === row.revision) throw error;
    return read(now);
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
