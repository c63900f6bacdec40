import { randomBytes } from 'node:crypto';
import type { BodyOf, routes } from '@bindery/contract';
import { type LibraryAddress, type LibraryRow, lockLibraryForWrite } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { DatabaseContext } from '../../context.ts';
import { notFound } from '../../errors.ts';

/** Changes visibility and share token of an active library; one in the Trash counts as missing. */
export async function patchLibrary(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: LibraryAddress,
  { visibility, share }: BodyOf<typeof routes.libraries.patchLibrary>,
): Promise<LibraryRow> {
  return db.transaction().execute(async (trx) => {
    const { row: library } = await lockLibraryForWrite(trx, viewer, address);
    const locked = await trx
      .updateTable('libraries')
      .set((eb) => ({ changes: eb('changes', '+', 1), updated_at: clock() }))
      .where('id', '=', library.id)
      .where('state', '=', 'active')
      .returning(['visibility', 'share_token'])
      .executeTakeFirst();
    if (!locked) throw notFound();
    const changed = await trx
      .updateTable('libraries')
      .set({
        visibility: visibility ?? locked.visibility,
        share_token: shareTokenAfter(share, locked.share_token),
      })
      .where('id', '=', library.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(trx, changed.updated_at, actorOf(viewer), {
      action: 'library.change',
      namespace: { id: library.namespace_id, slug: address.namespace },
      target: address.name,
      details: {
        visibility: changed.visibility,
        shared: changed.share_token !== null,
        newShareLink: changed.share_token !== null && changed.share_token !== locked.share_token,
      },
    });
    return changed;
  });
}

/** What a client requests: a share token if there is none, a new one, or none. */
export type ShareOption = BodyOf<typeof routes.libraries.patchLibrary>['share'];

/** Returns the share token after a change, 192 random bits as base64url text. Without an option it stays the same. */
export function shareTokenAfter(option: ShareOption, current: string | null): string | null {
  if (option === undefined) return current;
  if (option === false) return null;
  return option === 'rotate' || current === null ? randomBytes(24).toString('base64url') : current;
}
