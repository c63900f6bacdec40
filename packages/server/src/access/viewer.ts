import type { TokenScope } from '@bindery/contract';
import { forbidden, ServiceError } from '../errors.ts';

/** Where a request comes from. */
export interface RequestOrigin {
  /** As the setting of trusted proxies gives it. */
  address: string;
  userAgent: string | null;
}

/** Who asks: someone anonymous, or an account through one of its tokens; either may hold a share token. */
export type Viewer = AnonymousViewer | AccountViewer;

export interface AnonymousViewer {
  kind: 'anonymous';
  shareToken: string | null;
  origin?: RequestOrigin;
}

export interface AccountViewer {
  kind: 'account';
  accountId: string;
  userName: string;
  scope: TokenScope;
  /** A token bound to one namespace acts as a stranger everywhere else; null: bound to none. */
  onlyNamespaceId: string | null;
  token: TokenIdentity;
  shareToken: string | null;
  /** Where the request comes from, for the audit log. */
  origin?: RequestOrigin;
}

/** The token that speaks for the account. Times in milliseconds since 1970. */
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
  /** Id of the session that it came from, and ends with. */
  sessionId: string;
  signedInAt: number;
  expiresAt: number;
}

export interface PersonalTokenIdentity {
  kind: 'personal';
  id: string;
  expiresAt: number | null;
}

export const ANONYMOUS: AnonymousViewer = { kind: 'anonymous', shareToken: null };

/** The account behind the request, or 401. A write without a token is 401 whether or not the thing exists. */
export function requireAccount(viewer: Viewer): AccountViewer {
  if (viewer.kind === 'account') return viewer;
  throw new ServiceError(
    'unauthenticated',
    'Sign in first: send a token as "Authorization: Bearer <token>".',
  );
}

/** A token of scope `read` may not write, wherever it comes from. Checked after the thing was found readable. */
export function requireWriteScope(viewer: AccountViewer): void {
  if (viewer.scope === 'write') return;
  throw forbidden('This token is read-only. Create one with scope "write".');
}
