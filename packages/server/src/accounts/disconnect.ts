import { MACHINE } from '../audit/actor.ts';
import type { Parts } from '../parts.ts';
import { findAccountByName } from './account.ts';
import { disconnectAccount, type SignInWays, signInWaysOf } from './outside-identities.ts';

/** What `disconnectUser` would disconnect now, and whether a password is left. Throws `not_found` for the user name. */
export async function signInWaysOfUser({ db }: Pick<Parts, 'db'>, userName: string): Promise<SignInWays> {
  const { id } = await findAccountByName(db, userName);
  return signInWaysOf(db, id);
}

/**
 * The operator's door to disconnecting an account from its provider, straight on the database, be it the last way to sign in. Throws
 * `not_found` for the user name, and where nobody signs in to the account through a provider.
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
