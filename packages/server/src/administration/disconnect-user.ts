import { loadOperator, lockOperator } from '../access/operators.ts';
import { requireRecentSignIn } from '../access/recent-sign-in.ts';
import type { Viewer } from '../access/viewer.ts';
import { findAccountByName } from '../accounts/account.ts';
import { type AccountSignInMethods, disconnectAccount } from '../accounts/external-identities.ts';
import { actorOf } from '../audit/actor.ts';
import type { MaintenanceContext } from '../context.ts';
import { requireAnotherSignInMethod } from '../login/oidc/disconnect.ts';
import type { UserAddress } from './users.ts';

/**
 * Disconnects an account from its provider; see `disconnectAccount`. Operators who disconnect their own account must
 * keep another way to sign in, like everyone else.
 */
export async function disconnectUser(
  { db, clock, configuration }: MaintenanceContext,
  viewer: Viewer,
  { userName }: UserAddress,
): Promise<void> {
  await loadOperator(db, viewer);
  await db.transaction().execute(async (trx) => {
    const { accountId, token } = await lockOperator(trx, viewer);
    const now = clock();
    requireRecentSignIn(token, now, 'Accounts can only be disconnected from their provider');
    const account = await findAccountByName(trx, userName);
    const permit = (ways: AccountSignInMethods) => {
      if (account.id === accountId) requireAnotherSignInMethod(ways, configuration);
    };
    await disconnectAccount(trx, account, { actor: actorOf(viewer), now, permit });
  });
}
