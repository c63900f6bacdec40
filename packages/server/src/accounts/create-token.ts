import type { TokenScope } from '@bindery/contract';
import { MACHINE } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { DatabaseContext } from '../context.ts';
import { forbidden, invalidParameter } from '../errors.ts';
import { findAccountByName } from './account.ts';
import { type IssuedToken, issuePersonalAccessToken } from './personal-access-tokens.ts';

const DAY = 86_400_000;

/**
 * Operator command: creates a personal access token for a user, directly in the database. Throws `not_found` for an
 * unknown user name, `forbidden` if the account is disabled.
 */
export async function createToken(
  context: DatabaseContext,
  userName: string,
  {
    scope = 'write',
    expiresInDays,
    name = 'created by the operator',
  }: { scope?: TokenScope; expiresInDays?: number; name?: string } = {},
): Promise<IssuedToken> {
  if (expiresInDays !== undefined && !(Number.isInteger(expiresInDays) && expiresInDays >= 1)) {
    throw invalidParameter('expires', `expires: whole days, at least 1 (received ${expiresInDays}).`);
  }
  const account = await findAccountByName(context.db, userName);
  if (account.disabled_at !== null) {
    throw forbidden(
      `The account "${userName}" is disabled. Enable it first: bindery admin enable-user ${userName}`,
    );
  }
  const expiresAt = expiresInDays === undefined ? null : context.clock() + expiresInDays * DAY;
  return context.db.transaction().execute(async (trx) => {
    const token = { accountId: account.id, familyId: null, name, scope, namespace: null, expiresAt };
    const issued = await issuePersonalAccessToken({ ...context, db: trx }, token);
    const details = { name, scope, user: userName };
    await recordAudit(trx, context.clock(), MACHINE, { action: 'token.create', target: issued.id, details });
    return issued;
  });
}
