import type { AccountViewer, Viewer } from '../access/viewer.ts';
import { TOKEN_PREFIX, viewerOfPersonalAccessToken } from '../accounts/personal-access-tokens.ts';
import { invalidToken } from '../errors.ts';
import type { Credentials, Parts } from '../parts.ts';
import { bearerToken } from './bearer-token.ts';
import { viewerOfBrowserToken } from './browser-tokens.ts';
import { coalesceCalls } from './coalesce-calls.ts';
import { viewerOfServiceToken } from './service-tokens.ts';

type AuthenticateParts = Pick<Parts, 'db' | 'clock' | 'tokens'>;

/** Creates the function that turns a request's credentials into a viewer. */
export function createAuthenticate(parts: AuthenticateParts) {
  const viewerOfToken = coalesceCalls((token) => viewerOf(parts, token));
  return async function authenticate({
    authorization,
    shareToken = undefined,
  }: Credentials): Promise<Viewer> {
    const share = shareToken || null;
    if (authorization === undefined) return { kind: 'anonymous', shareToken: share };
    const viewer = await viewerOfToken(bearerToken(authorization));
    if (!viewer) throw invalidToken();
    return { ...viewer, shareToken: share };
  };
}

async function viewerOf(parts: AuthenticateParts, token: string): Promise<AccountViewer | null> {
  if (token.startsWith(TOKEN_PREFIX)) return viewerOfPersonalAccessToken(parts, token);
  const claims = await parts.tokens.verify(['bindery:api', 'bindery:browser'], token);
  if (!claims) return null;
  return claims.audience === 'bindery:browser'
    ? viewerOfBrowserToken(parts, claims)
    : viewerOfServiceToken(parts, claims);
}
