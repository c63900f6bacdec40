import type { LibraryRow } from '../../access/libraries.ts';
import { notFound } from '../../errors.ts';
import { isLost } from '../../objects/damaged.ts';
import type { Parts } from '../../parts.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';

/** A library row with the index of that very revision. */
export interface OpenedRevision {
  row: LibraryRow;
  index: RevisionIndex;
}

export type OpenParts = Pick<Parts, 'db' | 'revisions' | 'indexMender'>;

/**
 * Opens the index of a library's revision, or of a newer one; see `readPresent`. One that is damaged or missing is rebuilt
 * first. Throws what `IndexMender.mend` does.
 */
export async function openRevision(
  { db, revisions, indexMender }: OpenParts,
  library: LibraryRow,
): Promise<OpenedRevision> {
  const open = async (row: LibraryRow) => ({
    row,
    index: await revisions.load({ storeId: row.store_id, sha256: row.index_sha256 }),
  });
  return readPresent({ db }, library, (row) =>
    open(row).catch(async (error: unknown) => {
      if (!isLost(error) || (await hasMovedOn(db, row))) throw error;
      return open(await indexMender.mend(row));
    }),
  );
}

async function hasMovedOn(db: Parts['db'], { id, revision }: LibraryRow): Promise<boolean> {
  const now = await db.selectFrom('libraries').select('revision').where('id', '=', id).executeTakeFirst();
  return now?.revision !== revision;
}

/**
 * Reads an object of a library's revision. If it is gone because the library has moved on since the row was read,
 * reads that of the newer revision; throws `not_found` if the library was purged.
 */
export async function readPresent<Result>(
  { db }: Pick<Parts, 'db'>,
  row: LibraryRow,
  read: (row: LibraryRow) => Promise<Result>,
): Promise<Result> {
  try {
    return await read(row);
  } catch (error) {
    if (!isLost(error)) throw error;
    const now = await db.selectFrom('libraries').selectAll().where('id', '=', row.id).executeTakeFirst();
    if (now?.state !== 'active') throw notFound();
    if (now.revision === row.revision) throw error;
    return read(now);
  }
}
