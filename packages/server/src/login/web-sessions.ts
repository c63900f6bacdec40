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
