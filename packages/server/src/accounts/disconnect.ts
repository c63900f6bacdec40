import { MACHINE } from '../audit/actor.ts';
import type { DatabaseContext } from '../context.ts';
import { findAccountByName } from './account.ts';
import { type AccountSignInMethods, disconnectAccount, signInMethodsOf } from './external-identities.ts';

/**
 * Returns what `disconnectUser` would disconnect, and whether a password would be left. Throws `not_found` for an
 * unknown user name.
 */
export async function signInMethodsOfUser(
  { db }: DatabaseContext,
  userName: string,
): Promise<AccountSignInMethods> {
  const { id } = await findAccountByName(db, userName);
  return signInMethodsOf(db, id);
}

/**
 * Operator command: disconnects an account from its provider, directly in the database, even if that is the last way to
 * sign in. Throws `not_found` for an unknown user name, or if the account is not connected to a provider.
 */
export async function disconnectUser(
  { db, clock }: DatabaseContext,
  userName: string,
): Promise<AccountSignInMethods> {
  return db.transaction().execute(async (trx) => {
    const account = await findAccountByName(trx, userName);
    return disconnectAccount(trx, account, { actor: MACHINE, now: clock() });
  });
}
