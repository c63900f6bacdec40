import type { AccountViewer, Viewer } from '../access/viewer.ts';
import { TOKEN_PREFIX, viewerOfPersonalAccessToken } from '../accounts/personal-access-tokens.ts';
import type { Credentials, Parts } from '../parts.ts';
import { bearerToken, invalidToken } from './bearer-token.ts';
import { viewerOfServiceToken } from './service-tokens.ts';

type AuthenticateParts = Pick<Parts, 'db' | 'clock' | 'tokens'>;

/** Builds the one function that turns a request's credentials into a viewer. */
export function createAuthenticate(parts: AuthenticateParts) {
  return async function authenticate({
    authorization,
    shareToken = undefined,
  }: Credentials): Promise<Viewer> {
    const share = shareToken || null;
    if (authorization === undefined) return { kind: 'anonymous', shareToken: share };
    const viewer = await viewerOf(parts, bearerToken(authorization));
    if (!viewer) throw invalidToken();
    return { ...viewer, shareToken: share };
  };
}

function viewerOf(parts: AuthenticateParts, token: string): Promise<AccountViewer | null> {
  return token.startsWith(TOKEN_PREFIX)
    ? viewerOfPersonalAccessToken(parts, token)
    : viewerOfServiceToken(parts, token);
}
