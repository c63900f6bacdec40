import type { SignInMethods } from '@bindery/contract';
import { requireRecentSignIn } from '../../access/recent-sign-in.ts';
import type { Viewer } from '../../access/viewer.ts';
import type { AccountRow } from '../../accounts/account.ts';
import {
  type AccountSignInMethods,
  disconnectAccount,
  signInMethodsOf,
} from '../../accounts/external-identities.ts';
import { requireSignedIn } from '../../accounts/logins.ts';
import { type AuditActor, actorOf } from '../../audit/actor.ts';
import type { Context, MaintenanceContext } from '../../context.ts';
import { ServiceError } from '../../errors.ts';

/** Returns the ways in which the viewer can sign in. */
export async function readSignInMethods(
  { db, configuration, identityProvider }: Context,
  viewer: Viewer,
): Promise<SignInMethods> {
  const { accountId } = requireSignedIn(viewer);
  const { password, issuers } = await signInMethodsOf(db, accountId);
  return {
    password: password && configuration.passwords,
    provider: identityProvider && { name: identityProvider.name, isConnected: issuers.length > 0 },
  };
}

/**
 * Disconnects the viewer's account from the provider. Throws like `disconnectOwnAccount`, and
 * `recent_sign_in_required`.
 */
export async function disconnectViewer(context: MaintenanceContext, viewer: Viewer): Promise<void> {
  const { accountId, userName, token } = requireSignedIn(viewer);
  requireRecentSignIn(token, context.clock(), 'An account can only be disconnected from its provider');
  await disconnectOwnAccount(context, { id: accountId, user_name: userName }, actorOf(viewer));
}

/**
 * Disconnects a person's own account from the provider; see `disconnectAccount`. Throws `last_sign_in` if they would
 * have no other way to sign in, `not_found` if the account is not connected.
 */
export async function disconnectOwnAccount(
  { db, clock, configuration }: MaintenanceContext,
  account: Pick<AccountRow, 'id' | 'user_name'>,
  actor: AuditActor,
): Promise<void> {
  const permit = (ways: AccountSignInMethods) => requireAnotherSignInMethod(ways, configuration);
  await db.transaction().execute((trx) => disconnectAccount(trx, account, { actor, now: clock(), permit }));
}

/** Throws `last_sign_in` if the person could not sign in without the provider. */
export function requireAnotherSignInMethod(
  { password }: AccountSignInMethods,
  { passwords }: Pick<Context['configuration'], 'passwords'>,
): void {
  if (password && passwords) return;
  throw new ServiceError(
    'last_sign_in',
    passwords
      ? 'You have no other way to sign in to this account. Ask the operator of this service for a password first.'
      : 'This service has no sign-in with passwords, so you would have no other way to sign in to this account.',
  );
}
