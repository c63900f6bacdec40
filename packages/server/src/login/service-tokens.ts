import type { ServiceToken } from '@bindery/contract';
import { type AccountViewer, requireAccount, type Viewer } from '../access/viewer.ts';
import { describeUser, loadAccount } from '../accounts/account.ts';
import { forbidden } from '../errors.ts';
import type { Parts } from '../parts.ts';
import { bearerToken, invalidToken } from './bearer-token.ts';
import { isSpent, spend } from './spent-tokens.ts';

/** The viewer behind a service token, or null: not ours, expired, revoked, or its account is gone. */
export async function viewerOfServiceToken(
  { db, tokens }: Pick<Parts, 'db' | 'tokens'>,
  token: string,
): Promise<AccountViewer | null> {
  const claims = await tokens.verify('bindery:api', token);
  if (!claims) return null;
  const account = await db
    .selectFrom('accounts')
    .select('user_name')
    .where('id', '=', claims.accountId)
    .where((eb) => eb.not(eb.exists(isSpent(eb, claims.id))))
    .executeTakeFirst();
  if (!account) return null;
  return {
    kind: 'account',
    accountId: claims.accountId,
    userName: account.user_name,
    scope: 'write',
    onlyNamespaceId: null,
    token: { kind: 'service', id: claims.id, expiresAt: claims.expiresAt },
    shareToken: null,
  };
}

/** The service token for the access token of a device login, which is used up. Throws `invalid_token`. */
export async function exchangeAccessToken(
  parts: Pick<Parts, 'db' | 'clock' | 'tokens'>,
  authorization: string | undefined,
): Promise<ServiceToken> {
  const claims = await parts.tokens.verify('bindery:exchange', bearerToken(authorization));
  if (!claims || !(await spend(parts, claims))) throw invalidToken();
  return issueServiceToken(parts, claims.accountId);
}

/** A fresh service token; the one that asks stays valid until it runs out or is revoked. */
export async function renewServiceToken(
  parts: Pick<Parts, 'db' | 'clock' | 'tokens'>,
  viewer: Viewer,
): Promise<ServiceToken> {
  const { accountId, token } = requireAccount(viewer);
  if (token.kind !== 'service') {
    throw forbidden('A personal access token cannot be renewed. Make a new one.');
  }
  return issueServiceToken(parts, accountId);
}

/** Ends the token that the viewer came with. */
export async function revokeToken(parts: Pick<Parts, 'db' | 'clock'>, viewer: Viewer): Promise<void> {
  const { token } = requireAccount(viewer);
  if (token.kind === 'personal') {
    await parts.db.deleteFrom('personal_access_tokens').where('id', '=', token.id).execute();
  } else {
    await spend(parts, { id: token.id, expiresAt: token.expiresAt ?? Number.MAX_SAFE_INTEGER });
  }
}

async function issueServiceToken(
  { db, tokens }: Pick<Parts, 'db' | 'tokens'>,
  accountId: string,
): Promise<ServiceToken> {
  const account = await loadAccount(db, accountId);
  if (!account) throw invalidToken();
  const signed = await tokens.sign('bindery:api', { id: account.id, userName: account.user_name });
  return {
    token: signed.token,
    token_type: 'Bearer',
    expires_at: new Date(signed.expiresAt).toISOString(),
    user: describeUser(account),
    namespace: account.user_name,
  };
}
