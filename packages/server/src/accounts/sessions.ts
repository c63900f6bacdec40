import { randomUUID } from 'node:crypto';
import { DAY } from '@bindery/contract/wire';
import type { Database } from '../database/schema.ts';
import { ServiceError } from '../errors.ts';
import { type AccountRow, lockAccount } from './accounts.ts';

/** How long after a sign-in its tokens can be renewed, in milliseconds. */
export const FAMILY_LIFETIME = 180 * DAY;

/**
 * A sign-in and everything issued from it: the service token, its renewals, and the personal tokens created with any of
 * them. They are valid only while the family's row exists, except personal tokens that were detached from it. Times in
 * milliseconds since 1970.
 */
export interface Family {
  id: string;
  signedInAt: number;
  /** When its tokens can no longer be renewed. */
  expiresAt: number;
}

/**
 * Starts a family for an account that approves a login. Throws `unauthenticated` if the browser's session was ended or
 * the account disabled in the meantime. Ending logins locks the account too, so no family can be started concurrently
 * and survive.
 */
export async function startFamily(
  trx: Database,
  { accountId, session, clientName }: { accountId: string; session: string; clientName: string | null },
  now: number,
): Promise<string> {
  const account = await lockAccount(trx, accountId);
  const live = await trx
    .selectFrom('sign_in_sessions')
    .select('provider_id')
    .where('token', '=', session)
    .where('user_id', '=', accountId)
    .executeTakeFirst();
  if (!account || account.disabled_at !== null || !live) {
    throw new ServiceError('unauthenticated', 'You were signed out. Sign in again, then retry.');
  }
  const id = randomUUID();
  await trx
    .insertInto('token_families')
    .values({
      id,
      account_id: accountId,
      signed_in_at: now,
      expires_at: now + FAMILY_LIFETIME,
      client_name: clientName,
      provider_id: live.provider_id,
    })
    .execute();
  return id;
}

/** Returns the family with its account, or null if the family was ended or the account is disabled. */
export async function findFamily(
  db: Database,
  id: string,
): Promise<{ family: Family; account: AccountRow } | null> {
  const row = await db
    .selectFrom('token_families as family')
    .innerJoin('accounts', 'accounts.id', 'family.account_id')
    .selectAll('accounts')
    .select(['family.signed_in_at as signedInAt', 'family.expires_at as expiresAt'])
    .where('family.id', '=', id)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst();
  if (!row) return null;
  const { signedInAt, expiresAt, ...account } = row;
  return { family: { id, signedInAt, expiresAt }, account };
}

/**
 * Locks the family until the transaction ends, so that what is created with it cannot outlive it. Returns false if it
 * was ended.
 */
export async function lockFamily(trx: Database, id: string): Promise<boolean> {
  const held = await trx
    .updateTable('token_families')
    .set((eb) => ({ expires_at: eb.ref('expires_at') }))
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirst();
  return held !== undefined;
}

/**
 * Ends the family as part of a transaction: all its tokens become invalid immediately, on every replica, except
 * personal ones that are to be kept.
 */
export async function endFamily(
  trx: Database,
  id: string,
  { keepPersonalTokens }: { keepPersonalTokens: boolean },
): Promise<void> {
  if (keepPersonalTokens && (await lockFamily(trx, id))) {
    await trx
      .updateTable('personal_access_tokens')
      .set({ family_id: null })
      .where('family_id', '=', id)
      .execute();
  }
  await trx.deleteFrom('token_families').where('id', '=', id).execute();
}

/** Signs the browser out: its cookie and all its tokens become invalid immediately. */
export async function endBrowserSession(db: Database, sessionId: string): Promise<void> {
  await db.deleteFrom('sign_in_sessions').where('id', '=', sessionId).execute();
}

/**
 * Locks the account until the transaction ends, so that what the session creates cannot outlive it. Returns false if
 * the session was signed out.
 */
export async function lockBrowserSession(
  trx: Database,
  { accountId, sessionId }: { accountId: string; sessionId: string },
): Promise<boolean> {
  await lockAccount(trx, accountId);
  const session = await trx
    .selectFrom('sign_in_sessions')
    .select('id')
    .where('id', '=', sessionId)
    .executeTakeFirst();
  return session !== undefined;
}
