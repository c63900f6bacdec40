import type { AccountViewer, Viewer } from '../access/viewer.ts';
import { TOKEN_PREFIX, viewerOfPersonalAccessToken } from '../accounts/personal-access-tokens.ts';
import { ServiceError } from '../errors.ts';
import type { Credentials, Parts } from '../parts.ts';
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

/** The token of an `Authorization: Bearer …` header; throws `invalid_token` for any other header, or none. */
export function bearerToken(authorization: string | undefined): string {
  const match = /^Bearer +([\w.~+/=-]+) *$/i.exec(authorization ?? '');
  if (!match?.[1]) throw invalidToken();
  return match[1];
}

export function invalidToken(): ServiceError {
  return new ServiceError('invalid_token', 'The token is not valid, or has expired. Sign in again.');
}

function viewerOf(parts: AuthenticateParts, token: string): Promise<AccountViewer | null> {
  return token.startsWith(TOKEN_PREFIX)
    ? viewerOfPersonalAccessToken(parts, token)
    : viewerOfServiceToken(parts, token);
}
