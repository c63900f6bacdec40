import { createHmac, timingSafeEqual } from 'node:crypto';
import type { RequestOrigin } from '../access/viewer.ts';
import { visitor } from '../audit/actor.ts';
import type { Context, DatabaseContext } from '../context.ts';
import { getOrCreateSetting } from '../database/settings.ts';
import { ServiceError } from '../errors.ts';
import { randomSecret } from '../secrets.ts';
import { hasAccounts } from './create-account.ts';
import { createUser, type NewUser } from './create-user.ts';

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
