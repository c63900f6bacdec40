import { createHmac, randomUUID, timingSafeEqual } from 'node:crypto';
import { DAY } from '@bindery/contract/wire';
import type { Transaction } from 'kysely';
import { lockOperator } from '../access/operators.ts';
import { type Actor, MACHINE, type RequestOrigin } from '../access/viewer.ts';
import { actorOf, recordAudit, visitor } from '../audit/audit-log.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../context.ts';
import type { Tables } from '../database/schema.ts';
import { getOrCreateSetting } from '../database/settings.ts';
import { ServiceError } from '../errors.ts';
import { hashSecret, randomSecret } from '../secrets.ts';
import { createUser, hasAccounts, type NewUser } from './accounts.ts';

/** Set in the transaction that creates the first account, so that two concurrent attempts cannot both succeed. */
const DONE = 'set_up_done';

/**
 * Returns the path and query of the link that creates the first account, or null if there is an account already. The
 * link is the same on every replica and after a restart.
 */
export async function setUpLink({ db }: DatabaseContext): Promise<string | null> {
  if (await hasAccounts(db)) return null;
  return `/setup?token=${await setUpToken(db)}`;
}

/** Whether the link can be used: the token is correct and there is no account yet. */
export async function isSetUpToken({ db }: DatabaseContext, token: string): Promise<boolean> {
  const expected = Buffer.from(await setUpToken(db));
  const given = Buffer.from(token);
  const right = expected.length === given.length && timingSafeEqual(expected, given);
  return right && !(await hasAccounts(db));
}

/**
 * Creates the first account, an operator. Throws `forbidden` for a link that is invalid or was used, and like
 * `createUser`.
 */
export async function setUp(
  context: DatabaseContext,
  token: string,
  user: NewUser,
  origin: RequestOrigin | null = null,
): Promise<void> {
  if (!(await isSetUpToken(context, token))) throw linkUsed();
  await createUser(context, user, {
    operator: true,
    actor: visitor(user.userName, origin),
    permit: async (trx) => {
      const { numInsertedOrUpdatedRows } = await trx
        .insertInto('settings')
        .values({ key: DONE, value: new Date(context.clock()).toISOString() })
        .onConflict((conflict) => conflict.column('key').doNothing())
        .executeTakeFirstOrThrow();
      if (numInsertedOrUpdatedRows === 0n || (await hasAccounts(trx))) throw linkUsed();
    },
  });
}

async function setUpToken(db: Context['db']): Promise<string> {
  const secret = await getOrCreateSetting(db, 'set_up_secret', randomSecret);
  return createHmac('sha256', secret).update('set-up').digest('base64url');
}

function linkUsed(): ServiceError {
  return new ServiceError('forbidden', 'This set-up link is invalid or has already been used.');
}

/** Creates an invitation for one account. Returns the path and query of its link, which is not stored. */
export async function createInvitation(
  { db, clock }: DatabaseContext,
  {
    actor = MACHINE,
    email = null,
    validDays = 7,
  }: { actor?: Actor; email?: string | null; validDays?: number } = {},
): Promise<{ id: string; link: string; createdAt: number; expiresAt: number }> {
  const secret = randomSecret();
  const id = randomUUID();
  const createdAt = clock();
  const expiresAt = createdAt + validDays * DAY;
  await db.transaction().execute(async (trx) => {
    await lockOperator(trx, actor);
    const { userName } = actorOf(actor);
    await trx
      .insertInto('invitations')
      .values({
        token_hash: hashSecret(secret),
        created_at: createdAt,
        expires_at: expiresAt,
        id,
        email,
        invited_by: userName,
      })
      .execute();
    await recordAudit(trx, createdAt, actorOf(actor), {
      action: 'invitation.create',
      ...(email !== null && { target: email }),
    });
  });
  return { id, link: `/sign-up?invitation=${secret}`, createdAt, expiresAt };
}

/** Returns the e-mail address that an invitation is for; null if it is not known, or the invitation is not valid. */
export async function invitedAddress(
  { db, clock }: DatabaseContext,
  invitation: string,
): Promise<string | null> {
  const row = await db
    .selectFrom('invitations')
    .select('email')
    .where('token_hash', '=', hashSecret(invitation))
    .where('expires_at', '>', clock())
    .executeTakeFirst();
  return row?.email ?? null;
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
