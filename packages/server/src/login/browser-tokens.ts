import type { AccountViewer } from '../access/viewer.ts';
import type { AccountRow } from '../accounts/account.ts';
import type { Context, DatabaseContext } from '../context.ts';
import { type Claims, LIFETIME } from './tokens.ts';
import type { SignedIn } from './web-sessions.ts';

/** A token for the dashboard, which keeps it in memory. `expiresAt` in milliseconds since 1970. */
export interface BrowserToken {
  token: string;
  expiresAt: number;
}

/**
 * Issues a short-lived token for the browser of this session; the cookie itself gives access to pages, never to the
 * API. The token is valid only while the session exists.
 */
export async function issueBrowserToken(
  { tokens, clock }: Context,
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
