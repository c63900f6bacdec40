import type { SignInMethods } from '@bindery/contract';
import { sql } from 'kysely';
import { requireRecentSignIn } from '../access/operators.ts';
import { type AuditActor, actorOf, recordAudit } from '../audit/audit-log.ts';
import type { Context, DatabaseContext, MaintenanceContext } from '../context.ts';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { type AccountRow, findAccountByName, lockAccount, PASSWORD_PROVIDER } from './accounts.ts';
import type { SignedInViewer } from './logins.ts';

/** The provider id under which OpenID Connect identities are stored, next to passwords. */
export const OIDC_PROVIDER = 'oidc';

/** A person at an issuer as a single string. Subjects are unique only within an issuer, so the issuer is part of it. */
export function identityKey({ issuer, subject }: { issuer: string; subject: string }): string {
  return JSON.stringify([issuer, subject]);
}

/** The ways to sign in to an account. */
export interface AccountSignInMethods {
  password: boolean;
  /** Hosts of the issuers of the identities that are connected to it. */
  issuers: string[];
}

export async function signInMethodsOf(db: Database, accountId: string): Promise<AccountSignInMethods> {
  const rows = await db
    .selectFrom('sign_in_credentials')
    .select(['provider_id', 'account_id'])
    .where('user_id', '=', accountId)
    .orderBy('created_at')
    .execute();
  const identities = rows.filter(({ provider_id }) => provider_id === OIDC_PROVIDER);
  return {
    password: rows.some(({ provider_id }) => provider_id === PASSWORD_PROVIDER),
    issuers: [...new Set(identities.map(({ account_id }) => issuerHost(account_id)))],
  };
}

function issuerHost(key: string): string {
  const [issuer] = JSON.parse(key) as [string, string];
  return new URL(issuer).host;
}

/**
 * Matches logins made through a provider. Those of releases that did not record how they were made count as such too.
 */
const NO_PASSWORD_WAS_GIVEN = sql<boolean>`coalesce(provider_id, '') <> ${PASSWORD_PROVIDER}`;

/**
 * Disconnects an account from its provider as part of a transaction, and signs out the browsers and devices that signed
 * in through it. `permit` runs first, with the account locked. Throws `not_found` if the account is not connected to a
 * provider. Returns the ways to sign in to the account before the change.
 */
export async function disconnectAccount(
  trx: Database,
  account: Pick<AccountRow, 'id' | 'user_name'>,
  {
    actor,
    now,
    permit = () => {},
  }: { actor: AuditActor; now: number; permit?: (ways: AccountSignInMethods) => void },
): Promise<AccountSignInMethods> {
  await lockAccount(trx, account.id);
  const ways = await signInMethodsOf(trx, account.id);
  if (ways.issuers.length === 0) {
    throw new ServiceError('not_found', 'This account is not connected to a provider.');
  }
  permit(ways);
  await trx
    .deleteFrom('sign_in_credentials')
    .where('user_id', '=', account.id)
    .where('provider_id', '=', OIDC_PROVIDER)
    .execute();
  await trx
    .deleteFrom('sign_in_sessions')
    .where('user_id', '=', account.id)
    .where(NO_PASSWORD_WAS_GIVEN)
    .execute();
  await trx
    .deleteFrom('token_families')
    .where('account_id', '=', account.id)
    .where(NO_PASSWORD_WAS_GIVEN)
    .execute();
  await recordAudit(trx, now, actor, {
    action: 'account.change',
    target: account.user_name,
    details: { disconnected: ways.issuers.join(' ') },
  });
  return ways;
}

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

/** Returns the ways in which the viewer can sign in. */
export async function readSignInMethods(
  { db, configuration, identityProvider }: Context,
  { accountId }: SignedInViewer,
): Promise<SignInMethods> {
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
export async function disconnectViewer(context: MaintenanceContext, viewer: SignedInViewer): Promise<void> {
  const { accountId, userName, token } = viewer;
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
