import type { TokenScope } from '@bindery/contract';
import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { forbidden, ServiceError } from '../errors.ts';

/** Where a request comes from. */
export interface RequestOrigin {
  /** The client's address, determined according to the trusted-proxies setting. */
  address: string;
  userAgent: string | null;
}

/**
 * Who makes a request: someone anonymous, or an account through one of its tokens. Either can also send a share token.
 */
export type Viewer = AnonymousViewer | AccountViewer;

/** The operator on the service's own machine, who works on its database directly. */
export interface Machine {
  kind: 'machine';
}

export const MACHINE: Machine = { kind: 'machine' };

/** Who makes a change: a request, or a command of the operator. `access/` decides what either may do. */
export type Actor = Viewer | Machine;

interface AnonymousViewer {
  kind: 'anonymous';
  shareToken: string | null;
  origin?: RequestOrigin;
}

export interface AccountViewer {
  kind: 'account';
  accountId: string;
  userName: string;
  scope: TokenScope;
  /** The namespace that the token is bound to, or null. Elsewhere, a bound token has only a stranger's rights. */
  boundNamespaceId: string | null;
  token: TokenIdentity;
  shareToken: string | null;
  /** Where the request comes from, for the audit log. */
  origin?: RequestOrigin;
}

/** The token that authenticates the account. Times in milliseconds since 1970. */
export type TokenIdentity = ServiceTokenIdentity | BrowserTokenIdentity | PersonalTokenIdentity;

export interface ServiceTokenIdentity {
  kind: 'service';
  /** The sign-in that it came from. */
  familyId: string;
  signedInAt: number;
  expiresAt: number;
}

/** The dashboard in a signed-in browser. */
export interface BrowserTokenIdentity {
  kind: 'browser';
  /** Id of the session that it came from; it becomes invalid when the session ends. */
  sessionId: string;
  signedInAt: number;
  expiresAt: number;
}

interface PersonalTokenIdentity {
  kind: 'personal';
  id: string;
  expiresAt: number | null;
  /** Of the pass of an import that the service runs: the only library that it is valid for. */
  passFor?: { namespace: string; name: string };
}

export const ANONYMOUS: AnonymousViewer = { kind: 'anonymous', shareToken: null };

/**
 * Returns the account behind the request, or throws 401. A write without a token gives 401 whether or not its target
 * exists.
 */
export function requireAccount(viewer: Viewer): AccountViewer {
  if (viewer.kind === 'account') return viewer;
  throw new ServiceError(
    'unauthenticated',
    'Sign in first: send a token as "Authorization: Bearer <token>".',
  );
}

/**
 * Throws `forbidden` for a token of scope `read`, of whatever kind. Call it after checking that the viewer can read the
 * target.
 */
export function requireWriteScope(viewer: AccountViewer): void {
  if (viewer.scope === 'write') return;
  throw forbidden('This token is read-only. Create one with scope "write".');
}

/**
 * Returns the id of the account whose memberships and grants apply; the empty id, which no account has, for anonymous
 * viewers.
 */
export function accountIdOf(viewer: Viewer): string {
  return viewer.kind === 'account' ? viewer.accountId : '';
}

/**
 * The condition under which the viewer's memberships and grants in a namespace apply. A token bound to one namespace
 * has only a stranger's rights everywhere else.
 *
 * @param namespaceId the column that holds the namespace's id
 */
export function tokenAppliesIn(
  viewer: Viewer | Pick<AccountViewer, 'boundNamespaceId'>,
  namespaceId: `${string}.${string}`,
): RawBuilder<SqlBool> {
  const bound = 'boundNamespaceId' in viewer ? viewer.boundNamespaceId : null;
  return bound === null ? sql<SqlBool>`1 = 1` : sql<SqlBool>`${sql.ref(namespaceId)} = ${bound}`;
}

/**
 * Throws `forbidden` for a token bound to one namespace, which cannot manage the account itself: its tokens, its other
 * namespaces.
 */
export function requireUnboundToken(viewer: AccountViewer): void {
  if (viewer.boundNamespaceId === null) return;
  throw forbidden('This token is restricted to one namespace. Use one for the whole account.');
}
