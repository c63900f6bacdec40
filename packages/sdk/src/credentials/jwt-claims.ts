/** The claims of a service token. Not verified: only the service can do that. */
export interface TokenClaims {
  userName: string | null;
  /** Milliseconds since 1970. */
  issuedAt: number | null;
  expiresAt: number | null;
}

/** Returns the claims of a JWT; null for any other token, such as a personal access token. */
export function readClaims(token: string): TokenClaims | null {
  const parts = token.split('.');
  if (parts.length !== 3) return null;
  try {
    const claims: unknown = JSON.parse(Buffer.from(parts[1] ?? '', 'base64url').toString('utf8'));
    if (typeof claims !== 'object' || claims === null) return null;
    const { userName, iat, exp } = claims as Record<string, unknown>;
    return {
      userName: typeof userName === 'string' ? userName : null,
      issuedAt: milliseconds(iat),
      expiresAt: milliseconds(exp),
    };
  } catch {
    return null;
  }
}

/** Whether the token is in the last third of its lifetime and has not expired. */
export function isInLastThird(claims: TokenClaims, now: number): boolean {
  const { issuedAt, expiresAt } = claims;
  if (issuedAt === null || expiresAt === null || now >= expiresAt) return false;
  return now >= expiresAt - (expiresAt - issuedAt) / 3;
}

function milliseconds(seconds: unknown): number | null {
  return typeof seconds === 'number' && Number.isFinite(seconds) ? seconds * 1_000 : null;
}
