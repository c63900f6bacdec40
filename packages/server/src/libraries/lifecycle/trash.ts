import { holdLibraryForWrite, type LibraryAddress, type LibraryRow } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { notFound, ServiceError } from '../../errors.ts';
import type { Parts } from '../../parts.ts';

/** Moves an active library to the Trash, out of every reader's sight; one that is there already counts as missing. */
export async function deleteLibrary(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  viewer: Viewer,
  address: LibraryAddress,
  readBody: () => unknown,
): Promise<{ deletedAt: number }> {
  const deletedAt = clock();
  const deleted = await db.transaction().execute(async (trx) => {
    const { row: library } = await holdLibraryForWrite(trx, viewer, address);
    readBody();
    return trx
      .updateTable('libraries')
      .set((eb) => ({ state: 'deleted' as const, deleted_at: deletedAt, changes: eb('changes', '+', 1) }))
      .where('id', '=', library.id)
      .where('state', '=', 'active')
      .returning('id')
      .executeTakeFirst();
  });
  if (!deleted) throw notFound();
  return { deletedAt };
}

/** Takes a library out of the Trash as it was. Throws `not_in_trash`. */
export async function restoreLibrary(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  viewer: Viewer,
  address: LibraryAddress,
  readBody: () => unknown,
): Promise<LibraryRow> {
  const restored = await db.transaction().execute(async (trx) => {
    const { row: library } = await holdLibraryForWrite(trx, viewer, address);
    readBody();
    return trx
      .updateTable('libraries')
      .set((eb) => ({
        state: 'active' as const,
        deleted_at: null,
        changes: eb('changes', '+', 1),
        updated_at: clock(),
      }))
      .where('id', '=', library.id)
      .where('state', '=', 'deleted')
      .returningAll()
      .executeTakeFirst();
  });
  if (!restored) throw notInTrash();
  return restored;
}

export function notInTrash(): ServiceError {
  return new ServiceError('not_in_trash', 'The library is not in the Trash. Delete it first.');
}
