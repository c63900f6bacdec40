import { randomBytes } from 'node:crypto';
import type { BodyOf, routes } from '@bindery/contract';
import { type LibraryRow, lockLibraryForWrite, type ReadableLibrary } from '../../access/libraries.ts';
import type { Viewer } from '../../access/viewer.ts';
import { actorOf, recordAudit } from '../../audit/audit-log.ts';
import type { MaintenanceContext } from '../../context.ts';
import { assetNotFound, changedMeanwhile, notFound } from '../../errors.ts';
import { openRevision } from '../../objects/open-revision.ts';
import type { RevisionIndex } from '../../revision/revision-index.ts';

/**
 * Changes visibility, share token, cover and required checks of an active library; one in the Trash counts as missing.
 * Throws `asset_not_found` for a cover that is no asset, and `unavailable` if another revision was published meanwhile.
 */
export async function patchLibrary(
  context: MaintenanceContext,
  viewer: Viewer,
  { namespace, row }: ReadableLibrary,
  { visibility, share, cover, requiredChecks }: BodyOf<typeof routes.libraries.patchLibrary>,
): Promise<LibraryRow> {
  const { db, clock } = context;
  const address = { namespace, name: row.name };
  const covered = cover === undefined ? null : await openRevision(context, row);
  if (covered && cover && covered.index.indexOfAsset(cover) < 0) throw assetNotFound();
  return db.transaction().execute(async (trx) => {
    const { row: library } = await lockLibraryForWrite(trx, viewer, address);
    const locked = await trx
      .updateTable('libraries')
      .set((eb) => ({ changes: eb('changes', '+', 1), updated_at: clock() }))
      .where('id', '=', library.id)
      .where('state', '=', 'active')
      .returning(['visibility', 'share_token', 'revision'])
      .executeTakeFirst();
    if (!locked) throw notFound();
    if (covered && covered.row.revision !== locked.revision) throw changedMeanwhile();
    const changed = await trx
      .updateTable('libraries')
      .set({
        visibility: visibility ?? locked.visibility,
        share_token: shareTokenAfter(share, locked.share_token),
        ...(covered && coverColumns(covered.index, cover ?? null)),
        ...(requiredChecks && { required_checks: checksColumn(requiredChecks) }),
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
        ...(cover === undefined ? {} : { cover }),
        ...(requiredChecks && { requiredChecks: requiredChecks.join(', ') }),
      },
    });
    return changed;
  });
}

function coverColumns(index: RevisionIndex, chosen: string | null) {
  const cover = index.cover(chosen);
  return { cover_asset: chosen, cover_sha256: cover?.sha256 ?? null, cover_path: cover?.path ?? null };
}

function checksColumn(names: readonly string[]): string | null {
  return names.length === 0 ? null : JSON.stringify([...new Set(names)].sort());
}

/** What a client requests: a share token if there is none, a new one, or none. */
export type ShareOption = BodyOf<typeof routes.libraries.patchLibrary>['share'];

/** Returns the share token after a change, 192 random bits as base64url text. Without an option it stays the same. */
export function shareTokenAfter(option: ShareOption, current: string | null): string | null {
  if (option === undefined) return current;
  if (option === false) return null;
  return option === 'rotate' || current === null ? randomBytes(24).toString('base64url') : current;
}
