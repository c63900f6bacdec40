import type { LibraryRow } from '../../access/libraries.ts';
import { notFound } from '../../errors.ts';
import type { Parts } from '../../parts.ts';
import type { RevisionIndex } from './revision-index.ts';

/** A library row with the index of that very revision. */
export interface OpenedRevision {
  row: LibraryRow;
  index: RevisionIndex;
}

/**
 * Opens the index of a library's revision. Where the library moved on and the index was reclaimed since the row was
 * read, the newer revision is opened; where it was purged, it is not found.
 */
export async function openRevision(
  { db, revisions }: Pick<Parts, 'db' | 'revisions'>,
  row: LibraryRow,
): Promise<OpenedRevision> {
  try {
    return { row, index: await load(revisions, row) };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    const now = await db.selectFrom('libraries').selectAll().where('id', '=', row.id).executeTakeFirst();
    if (now?.state !== 'active') throw notFound();
    if (now.index_sha256 === row.index_sha256) throw error;
    return { row: now, index: await load(revisions, now) };
  }
}

function load(revisions: Parts['revisions'], row: LibraryRow): Promise<RevisionIndex> {
  return revisions.load({ storeId: row.store_id, sha256: row.index_sha256 });
}
