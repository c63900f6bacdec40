import type { Viewer } from '../access/viewer.ts';
import { TOKEN_PREFIX, viewerOfPersonalAccessToken } from '../accounts/personal-access-tokens.ts';
import { ServiceError } from '../errors.ts';
import type { Credentials, Parts } from '../parts.ts';

/** Builds the one function that turns a request's credentials into a viewer. */
export function createAuthenticate(parts: Pick<Parts, 'db' | 'clock'>) {
  return async function authenticate({
    authorization,
    shareToken = undefined,
  }: Credentials): Promise<Viewer> {
    const share = shareToken || null;
    if (authorization === undefined) return { kind: 'anonymous', shareToken: share };
    const token = bearerToken(authorization);
    const viewer = token.startsWith(TOKEN_PREFIX) ? await viewerOfPersonalAccessToken(parts, token) : null;
    if (!viewer) throw invalidToken();
    return { ...viewer, shareToken: share };
  };
}

function bearerToken(authorization: string): string {
  const match = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization);
  if (!match?.[1]) throw invalidToken();
  return match[1];
}

function invalidToken(): ServiceError {
  return new ServiceError('invalid_token', 'The token is not valid, or has expired. Sign in again.');
}
