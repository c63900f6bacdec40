import { sql } from 'kysely';
import type { AuditActor } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { type AccountRow, lockAccount } from './account.ts';
import { PASSWORD_PROVIDER } from './create-account.ts';

/** The provider under which identities of OpenID Connect are kept, beside passwords. */
export const OIDC_PROVIDER = 'oidc';

/** A person at an issuer as one text. Subjects are the issuer's alone, so the issuer is part of it. */
export function identityKey({ issuer, subject }: { issuer: string; subject: string }): string {
  return JSON.stringify([issuer, subject]);
}

/** By what an account can be signed in to. */
export interface SignInWays {
  password: boolean;
  /** Hosts of the issuers of the identities that it is connected with. */
  issuers: string[];
}

export async function signInWaysOf(db: Database, accountId: string): Promise<SignInWays> {
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

/** What a release made that did not write down by what it was made, counts as the provider's. */
const NO_PASSWORD_WAS_GIVEN = sql<boolean>`coalesce(provider_id, '') <> ${PASSWORD_PROVIDER}`;

/**
 * Lets nobody sign in to an account through a provider any more, as part of a transaction, and ends the browsers and devices that
 * did. `permit` runs first, with the account held. Throws `not_found` where nobody does. Answers by what the account could be signed
 * in to before.
 */
export async function disconnectAccount(
  trx: Database,
  account: Pick<AccountRow, 'id' | 'user_name'>,
  { actor, now, permit = () => {} }: { actor: AuditActor; now: number; permit?: (ways: SignInWays) => void },
): Promise<SignInWays> {
  await lockAccount(trx, account.id);
  const ways = await signInWaysOf(trx, account.id);
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
