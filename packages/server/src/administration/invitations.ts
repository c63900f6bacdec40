import type { Invitation } from '@bindery/contract';
import { lockOperator } from '../access/operators.ts';
import type { Actor } from '../access/viewer.ts';
import { createInvitation } from '../accounts/sign-up.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { Context, DatabaseContext } from '../context.ts';
import { forbidden, notFound } from '../errors.ts';

/** Returns the invitations that are still valid, the latest first, and why there can be no more. */
export async function listInvitations(
  context: Context,
): Promise<{ invitations: Invitation[]; refusal: string | null }> {
  const rows = await context.db
    .selectFrom('invitations')
    .selectAll()
    .where('expires_at', '>', context.clock())
    .orderBy('created_at', 'desc')
    .execute();
  const invitations = rows.flatMap(({ id, email, invited_by, created_at, expires_at }) =>
    id === null
      ? []
      : [
          describeInvitation({
            id,
            email,
            invitedBy: invited_by,
            createdAt: created_at,
            expiresAt: expires_at,
          }),
        ],
  );
  return { invitations, refusal: refusalToInvite(context) };
}

/** Invites one person; see `createInvitation`. Throws `forbidden` if the service lets nobody sign up. */
export async function invite(
  context: Context,
  actor: Actor,
  { email = null }: { email?: string | null | undefined },
): Promise<Invitation & { link: string }> {
  const refusal = refusalToInvite(context);
  if (refusal !== null) throw forbidden(refusal);
  const { link, ...made } = await createInvitation(context, { actor, email });
  const invitation = describeInvitation({ ...made, email, invitedBy: actorOf(actor).userName });
  return { ...invitation, link: context.publicUrl() + link };
}

/** Ends an invitation before it is used. Throws `not_found`. */
export async function revokeInvitation(
  { db, clock }: DatabaseContext,
  actor: Actor,
  { invitationId }: { invitationId: string },
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    await lockOperator(trx, actor);
    const deleted = await trx
      .deleteFrom('invitations')
      .where('id', '=', invitationId)
      .returning('email')
      .executeTakeFirst();
    if (deleted === undefined) throw notFound();
    await recordAudit(trx, clock(), actorOf(actor), {
      action: 'invitation.delete',
      ...(deleted.email !== null && { target: deleted.email }),
    });
  });
}

function refusalToInvite({ configuration, identityProvider }: Context): string | null {
  if (!configuration.passwords)
    return `This service has no passwords. People sign in with ${identityProvider?.name}.`;
  if (configuration.signup === 'closed')
    return 'Nobody can sign up (BINDERY_SIGNUP is "closed"). Set it to "invite" to invite people.';
  return null;
}

function describeInvitation({
  createdAt,
  expiresAt,
  ...invitation
}: Omit<Invitation, 'createdAt' | 'expiresAt'> & { createdAt: number; expiresAt: number }): Invitation {
  return {
    ...invitation,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
  };
}
