import { MACHINE } from '../audit/actor.ts';
import type { Parts } from '../parts.ts';
import { findAccountByName } from './account.ts';
import { disconnectAccount, type SignInWays, signInWaysOf } from './outside-identities.ts';

/**
 * Returns what `disconnectUser` would disconnect, and whether a password would be left. Throws `not_found` for an
 * unknown user name.
 */
export async function signInWaysOfUser({ db }: Pick<Parts, 'db'>, userName: string): Promise<SignInWays> {
  const { id } = await findAccountByName(db, userName);
  return signInWaysOf(db, id);
}

/**
 * Operator command: disconnects an account from its provider, directly in the database, even if that is the last way to
 * sign in. Throws `not_found` for an unknown user name, or if the account is not connected to a provider.
 */
export async function disconnectUser(
  { db, clock }: Pick<Parts, 'db' | 'clock'>,
  userName: string,
): Promise<SignInWays> {
  return db.transaction().execute(async (trx) => {
    const account = await findAccountByName(trx, userName);
    return disconnectAccount(trx, account, { actor: MACHINE, now: clock() });
  });
}
