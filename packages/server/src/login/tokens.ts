/** What a token is for. A token for one audience is rejected where another is required. */
type Audience = 'bindery:api' | 'bindery:browser' | 'bindery:exchange';

/**
 * Lifetimes in seconds: the service token, the token of a signed-in browser, the access token of a device login. No
 * token outlives its family.
 */
export const LIFETIME = {
  'bindery:api': 30 * 86_400,
  'bindery:browser': 600,
  'bindery:exchange': 300,
} as const satisfies Record<Audience, number>;

/** The claims of a token. Times are milliseconds since 1970. */
export interface Claims {
  audience: Audience;
  accountId: string;
  id: string;
  /** The sign-in that the token came from: a family, or the session of a browser. */
  familyId: string;
  expiresAt: number;
}

interface SignedToken extends Claims {
  token: string;
}

/** Signs and verifies the service's own tokens (JWT). Does not check whether a token was revoked. */
export interface Tokens {
  sign(
    audience: Audience,
    account: { id: string; userName: string },
    /** The sign-in, and when its tokens can no longer be renewed. */
    family: { id: string; expiresAt: number },
  ): Promise<SignedToken>;
  /**
   * Returns the claims, or null for a token that is not from this service, not for one of these audiences, malformed or
   * expired.
   */
  verify(audiences: readonly Audience[], token: string): Promise<Claims | null>;
}
