/** An account whose browser is signed in. */
export interface SignedIn {
  accountId: string;
  /** Secret of the session, known to server and cookie alone; forms are tied to it. */
  session: string;
  /** Names the session, and is no secret. */
  sessionId: string;
  /** When the person last proved who they are, in milliseconds since 1970; 0 where nobody knows. */
  signedInAt: number;
}

/** How somebody proved elsewhere who they are. */
export interface OutsideProof {
  /** As in `sign_in_credentials`. */
  providerId: string;
  /** When, in milliseconds since 1970; null where nobody knows, and then it never counts as recent. */
  authenticatedAt: number | null;
}

/** Cookies to set, as values of `Set-Cookie`. */
export type SetCookies = string[];

/** The port to what signs people in on the web: passwords, and sessions kept in cookies. */
export interface WebSessions {
  /** Who the browser with these cookies is, or null; `cookies` renew a session that goes on. */
  read(cookieHeader: string | undefined): Promise<{ signedIn: SignedIn | null; cookies: SetCookies }>;
  /**
   * Signs in, or returns null for a wrong address or password; both take the same time. `userAgent` is what the browser
   * calls itself.
   */
  signIn(email: string, password: string, userAgent?: string): Promise<SetCookies | null>;
  /** Signs in to an account whose person proved elsewhere who they are. */
  signInAccount(accountId: string, proof: OutsideProof, userAgent?: string): Promise<SetCookies>;
  /** Ends the session; the cookies remove it from the browser. */
  signOut(cookieHeader: string | undefined): Promise<SetCookies>;
}
