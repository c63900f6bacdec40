import { loadOperator, lockOperator, requireRecentSignIn } from '../access/operators.ts';
import type { Viewer } from '../access/viewer.ts';
import { findAccountByName } from '../accounts/accounts.ts';
import {
  type AccountSignInMethods,
  disconnectAccount,
  requireAnotherSignInMethod,
} from '../accounts/sign-in-methods.ts';
import { actorOf } from '../audit/record.ts';
import type { MaintenanceContext } from '../context.ts';
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
