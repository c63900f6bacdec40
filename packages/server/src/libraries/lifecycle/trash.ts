import { type LibraryAddress, type LibraryRow, lockLibraryForWrite } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { DatabaseContext } from '../../context.ts';
import { notFound, ServiceError } from '../../errors.ts';

/** Moves an active library to the Trash, where no reader sees it. One that is already there counts as missing. */
export async function deleteLibrary(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<{ deletedAt: number }> {
  const deletedAt = clock();
  await db.transaction().execute(async (trx) => {
    const { row: library } = await lockLibraryForWrite(trx, viewer, address);
    const trashed = await trx
      .updateTable('libraries')
      .set((eb) => ({ state: 'deleted' as const, deleted_at: deletedAt, changes: eb('changes', '+', 1) }))
      .where('id', '=', library.id)
      .where('state', '=', 'active')
      .returning('id')
      .executeTakeFirst();
    if (!trashed) throw notFound();
    await recordAudit(trx, deletedAt, actorOf(viewer), {
      action: 'library.delete',
      namespace: { id: library.namespace_id, slug: address.namespace },
      target: address.name,
    });
  });
  return { deletedAt };
}

/** Restores a library from the Trash as it was. Throws `not_in_trash`. */
export async function restoreLibrary(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: LibraryAddress,
): Promise<LibraryRow> {
  return db.transaction().execute(async (trx) => {
    const { row: library } = await lockLibraryForWrite(trx, viewer, address);
    const row = await trx
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
    if (!row) throw notInTrash('There is nothing to restore.');
    await recordAudit(trx, row.updated_at, actorOf(viewer), {
      action: 'library.restore',
      namespace: { id: library.namespace_id, slug: address.namespace },
      target: address.name,
    });
    return row;
  });
}

export function notInTrash(consequence: string): ServiceError {
  return new ServiceError('not_in_trash', `The library is not in the Trash. ${consequence}`);
}
