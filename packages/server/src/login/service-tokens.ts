import type { ServiceToken } from '@bindery/contract';
import { type AccountViewer, requireAccount, type TokenIdentity, type Viewer } from '../access/viewer.ts';
import { describeUser } from '../accounts/account.ts';
import { endBrowserSession } from '../accounts/browser-sessions.ts';
import { endFamily, findFamily } from '../accounts/token-families.ts';
import { actorOf } from '../audit/actor.ts';
import { recordAudit } from '../audit/record.ts';
import type { Context, DatabaseContext } from '../context.ts';
import { forbidden, invalidToken } from '../errors.ts';
import { bearerToken } from './bearer-token.ts';
import { spend } from './spent-tokens.ts';
import type { Claims } from './tokens.ts';

/** Returns the viewer behind a service token, or null if its family ended or its account was deleted or disabled. */
export async function viewerOfServiceToken(
  { db }: DatabaseContext,
  claims: Claims,
): Promise<AccountViewer | null> {
  const found = await findFamily(db, claims.familyId);
  if (!found || found.account.id !== claims.accountId) return null;
  return {
    kind: 'account',
    accountId: found.account.id,
    userName: found.account.user_name,
    scope: 'write',
    boundNamespaceId: null,
    token: {
      kind: 'service',
      familyId: found.family.id,
      signedInAt: found.family.signedInAt,
      expiresAt: claims.expiresAt,
    },
    shareToken: null,
  };
}

/**
 * Exchanges the access token of a device login, which can be used once, for a service token. Throws `invalid_token`.
 */
export async function exchangeAccessToken(
  context: Context,
  authorization: string | undefined,
): Promise<ServiceToken> {
  const claims = await context.tokens.verify(['bindery:exchange'], bearerToken(authorization));
  if (!claims || !(await spend(context, claims))) throw invalidToken();
  return issueServiceToken(context, claims.familyId);
}

/** Issues a new service token of the same family; the old one stays valid until it expires or the family ends. */
export async function renewServiceToken(context: Context, viewer: Viewer): Promise<ServiceToken> {
  const { token } = requireAccount(viewer);
  if (token.kind !== 'service') {
    throw forbidden('Only the token of a device login can be renewed. Create a new one.');
  }
  return issueServiceToken(context, token.familyId);
}

/**
 * Revokes the token that the viewer used: a personal token alone, a service token with its whole family, except
 * personal tokens if they are to be kept, and a browser's token with its session.
 */
export async function revokeToken(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  { keepPersonalTokens = false }: { keepPersonalTokens?: boolean | undefined } = {},
): Promise<void> {
  const { token } = requireAccount(viewer);
  await db.transaction().execute(async (trx) => {
    if (token.kind === 'service') await endFamily(trx, token.familyId, { keepPersonalTokens });
    else if (token.kind === 'browser') await endBrowserSession(trx, token.sessionId);
    else await trx.deleteFrom('personal_access_tokens').where('id', '=', token.id).execute();
    const action = token.kind === 'personal' ? 'token.delete' : 'login.end';
    await recordAudit(trx, clock(), actorOf(viewer), { action, target: idOf(token) });
  });
}

async function issueServiceToken({ db, tokens }: Context, familyId: string): Promise<ServiceToken> {
  const found = await findFamily(db, familyId);
  if (!found) throw invalidToken();
  const { account, family } = found;
  const signed = await tokens.sign('bindery:api', { id: account.id, userName: account.user_name }, family);
  return {
    token: signed.token,
    token_type: 'Bearer',
    expires_at: new Date(signed.expiresAt).toISOString(),
    user: describeUser(account),
    namespace: account.user_name,
  };
}

function idOf(token: TokenIdentity): string {
  if (token.kind === 'personal') return token.id;
  return token.kind === 'service' ? token.familyId : token.sessionId;
}
