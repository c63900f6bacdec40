import { sql } from 'kysely';
import type { AuditActor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { type AccountRow, lockAccount } from './account.ts';
import { PASSWORD_PROVIDER } from './create-account.ts';

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
