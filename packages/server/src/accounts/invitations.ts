import type { Transaction } from 'kysely';
import type { RequestOrigin } from '../access/viewer.ts';
import { MACHINE, visitor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext, MaintenanceContext } from '../context.ts';
import type { Tables } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { hashSecret, randomSecret } from '../secrets.ts';
import { createUser, type NewUser } from './create-user.ts';

const DAY = 86_400_000;

/** Creates an invitation for one account. Returns the path and query of its link, which is not stored. */
export async function createInvitation(
  { db, clock }: DatabaseContext,
  validDays = 7,
): Promise<{ link: string; expiresAt: number }> {
  const secret = randomSecret();
  const now = clock();
  const expiresAt = now + validDays * DAY;
  await db.transaction().execute(async (trx) => {
    await trx
      .insertInto('invitations')
      .values({ token_hash: hashSecret(secret), created_at: now, expires_at: expiresAt })
      .execute();
    await recordAudit(trx, now, MACHINE, { action: 'invitation.create' });
  });
  return { link: `/sign-up?invitation=${secret}`, expiresAt };
}

/**
 * Whether someone can sign up, with this invitation if one is required. Nobody can if passwords are off: signing up
 * creates only accounts with passwords.
 */
export async function maySignUp(
  { db, clock, configuration }: MaintenanceContext,
  invitation: string,
): Promise<boolean> {
  if (!configuration.passwords) return false;
  if (configuration.signup !== 'invite') return configuration.signup === 'open';
  const row = await db
    .selectFrom('invitations')
    .select('token_hash')
    .where('token_hash', '=', hashSecret(invitation))
    .where('expires_at', '>', clock())
    .executeTakeFirst();
  return row !== undefined;
}

/**
 * Creates an account for someone who signs up, and consumes the invitation. Throws `forbidden` if signing up is not
 * allowed.
 */
export async function signUp(
  context: MaintenanceContext,
  invitation: string,
  user: NewUser,
  origin: RequestOrigin | null = null,
): Promise<void> {
  if (!(await maySignUp(context, invitation))) throw notInvited();
  await createUser(context, user, {
    actor: visitor(user.userName, origin),
    permit: async (trx) => {
      if (context.configuration.signup === 'invite')
        await consumeInvitation(trx, invitation, context.clock());
    },
  });
}

async function consumeInvitation(trx: Transaction<Tables>, invitation: string, now: number): Promise<void> {
  const { numDeletedRows } = await trx
    .deleteFrom('invitations')
    .where('token_hash', '=', hashSecret(invitation))
    .where('expires_at', '>', now)
    .executeTakeFirst();
  if (numDeletedRows === 0n) throw notInvited();
}

function notInvited(): ServiceError {
  return new ServiceError('forbidden', 'Signing up requires a valid invitation.');
}
