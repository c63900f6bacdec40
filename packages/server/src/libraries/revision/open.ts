import type { LibraryRow } from '../../access/libraries.ts';
import { notFound } from '../../errors.ts';
import { isMissing } from '../../objects/missing.ts';
import type { Parts } from '../../parts.ts';
import type { RevisionIndex } from './revision-index.ts';

/** A library row with the index of that very revision. */
export interface OpenedRevision {
  row: LibraryRow;
  index: RevisionIndex;
}

/** Opens the index of a library's revision, or of a newer one; see `readPresent`. */
export async function openRevision(
  { db, revisions }: Pick<Parts, 'db' | 'revisions'>,
  library: LibraryRow,
): Promise<OpenedRevision> {
  return readPresent({ db }, library, async (row) => ({
    row,
    index: await revisions.load({ storeId: row.store_id, sha256: row.index_sha256 }),
  }));
}

/**
 * Reads an object of a library's revision. Where the library moved on and the object was reclaimed since the row was
 * read, that of the newer revision is read; where the library was purged, it is not found.
 */
export async function readPresent<Result>(
  { db }: Pick<Parts, 'db'>,
  row: LibraryRow,
  read: (row: LibraryRow) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(row);
  } catch (error) {
    if (!isMissing(error)) throw error;
    const now = await db.selectFrom('libraries').selectAll().where('id', '=', row.id).executeTakeFirst();
    if (now?.state !== 'active') throw notFound();
    if (now.revision === row.revision) throw error;
    return read(now);
  }
}
