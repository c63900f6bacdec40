import type { ResponseOf, routes, ServiceToken } from '@bindery/contract';
import { type AccountViewer, requireAccount, type TokenIdentity, type Viewer } from '../access/viewer.ts';
import { type AccountRow, describeUser, loadAccount } from '../accounts/accounts.ts';
import { endBrowserSession, endFamily, findFamily } from '../accounts/sessions.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { DatabaseContext, PeopleContext } from '../context.ts';
import { forbidden, invalidToken } from '../errors.ts';
import { listNamespaces } from '../namespaces/namespaces.ts';
import { type Claims, LIFETIME, type SignedIn } from './ports.ts';
import { bearerToken, spend } from './signed-tokens.ts';

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
  context: PeopleContext,
  authorization: string | undefined,
): Promise<ServiceToken> {
  const claims = await context.tokens.verify(['bindery:exchange'], bearerToken(authorization));
  if (!claims || !(await spend(context, claims))) throw invalidToken();
  return issueServiceToken(context, claims.familyId);
}

/** Issues a new service token of the same family; the old one stays valid until it expires or the family ends. */
export async function renewServiceToken(context: PeopleContext, viewer: Viewer): Promise<ServiceToken> {
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

async function issueServiceToken({ db, tokens }: PeopleContext, familyId: string): Promise<ServiceToken> {
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

type Profile = ResponseOf<typeof routes.login.getProfile>;

/** Returns who the viewer is, its namespaces, and what its token is allowed to do. */
export async function readProfile(context: DatabaseContext, viewer: Viewer): Promise<Profile> {
  const { accountId, scope, token } = requireAccount(viewer);
  const account = await loadAccount(context.db, accountId);
  if (!account) throw new Error('The account was removed in the meantime.');
  return {
    user: describeUser(account),
    namespace: account.user_name,
    namespaces: await listNamespaces(context, viewer),
    token: {
      kind: token.kind === 'personal' ? 'personal' : 'service',
      scope,
      expiresAt: token.expiresAt === null ? null : new Date(token.expiresAt).toISOString(),
    },
  };
}

/** A token for the dashboard, which keeps it in memory. `expiresAt` in milliseconds since 1970. */
interface BrowserToken {
  token: string;
  expiresAt: number;
}

/**
 * Issues a short-lived token for the browser of this session; the cookie itself gives access to pages, never to the
 * API. The token is valid only while the session exists.
 */
export async function issueBrowserToken(
  { tokens, clock }: PeopleContext,
  account: AccountRow,
  { sessionId }: SignedIn,
): Promise<BrowserToken> {
  const { token, expiresAt } = await tokens.sign(
    'bindery:browser',
    { id: account.id, userName: account.user_name },
    { id: sessionId, expiresAt: clock() + LIFETIME['bindery:browser'] * 1_000 },
  );
  return { token, expiresAt };
}

/** Returns the viewer behind a browser's token, or null if its session ended or its account was deleted or disabled. */
export async function viewerOfBrowserToken(
  { db }: DatabaseContext,
  claims: Claims,
): Promise<AccountViewer | null> {
  const found = await db
    .selectFrom('sign_in_sessions as session')
    .innerJoin('accounts', 'accounts.id', 'session.user_id')
    .select(['accounts.id', 'accounts.user_name'])
    .select(({ fn }) => fn.coalesce('session.authenticated_at', 'session.created_at').as('signedInAt'))
    .where('session.id', '=', claims.familyId)
    .where('session.user_id', '=', claims.accountId)
    .where('accounts.disabled_at', 'is', null)
    .executeTakeFirst();
  if (!found) return null;
  return {
    kind: 'account',
    accountId: found.id,
    userName: found.user_name,
    scope: 'write',
    boundNamespaceId: null,
    token: {
      kind: 'browser',
      sessionId: claims.familyId,
      signedInAt: Date.parse(found.signedInAt),
      expiresAt: claims.expiresAt,
    },
    shareToken: null,
  };
}
