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

/** An account whose browser is signed in. */
export interface SignedIn {
  accountId: string;
  /** The secret of the session, known only to the server and the cookie; forms are bound to it. */
  session: string;
  /** Identifies the session; not a secret. */
  sessionId: string;
  /** When the person last authenticated, in milliseconds since 1970; 0 if unknown. */
  signedInAt: number;
}

/** How a person authenticated with an external provider. */
interface ExternalAuthentication {
  /** As in `sign_in_credentials`. */
  providerId: string;
  /** When, in milliseconds since 1970; null if unknown, in which case it never counts as recent. */
  authenticatedAt: number | null;
}

/** Cookies to set, as values of `Set-Cookie`. */
export type SetCookies = string[];

/** The port that signs people in on the web: passwords, and sessions in cookies. */
export interface WebSessions {
  /** Returns who is signed in with these cookies, or null; `cookies` renew a session that continues. */
  read(cookieHeader: string | undefined): Promise<{ signedIn: SignedIn | null; cookies: SetCookies }>;
  /**
   * Signs in, or returns null for a wrong address or password; both take the same time. `userAgent` is the browser's
   * `User-Agent`.
   */
  signIn(email: string, password: string, userAgent?: string): Promise<SetCookies | null>;
  /** Signs in to an account whose person authenticated with an external provider. */
  signInAccount(accountId: string, proof: ExternalAuthentication, userAgent?: string): Promise<SetCookies>;
  /** Ends the session; the cookies remove it from the browser. */
  signOut(cookieHeader: string | undefined): Promise<SetCookies>;
}

/** A person as described by the provider. */
export interface Identity {
  issuer: string;
  /** Identifies the person at the issuer permanently. */
  subject: string;
  /** Null if the provider gave none, or has not verified it. */
  verifiedEmail: string | null;
  displayName: string | null;
  /** The person's user name at the provider; a suggestion for the user name here. */
  preferredName: string | null;
  groups: readonly string[];
}

/** A completed authentication at the provider. */
interface Authentication {
  identity: Identity;
  /** When the person authenticated there, in milliseconds since 1970; null if the provider does not report it. */
  authenticatedAt: number | null;
}

/** What a response is checked against; known only to the browser that began the sign-in. */
export interface AuthorizationChecks {
  state: string;
  nonce: string;
  /** The PKCE code verifier. */
  verifier: string;
}

/** The port to an OpenID Connect provider. Throws `unavailable` if the provider cannot be reached. */
export interface IdentityProvider {
  /** The name shown to people. */
  name: string;
  /**
   * Returns where to send the browser to sign in; `again`: the person must authenticate again, even if already signed
   * in there.
   */
  begin(callback: string, again: boolean): Promise<{ url: string; checks: AuthorizationChecks }>;
  /** Exchanges and verifies the response that came to `url`. Throws `forbidden` if it cannot be trusted. */
  finish(url: URL, checks: AuthorizationChecks): Promise<Authentication>;
}
