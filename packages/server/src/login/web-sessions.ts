/** An account whose browser is signed in. */
export interface SignedIn {
  accountId: string;
  /** Secret of the session, known to server and cookie alone; forms are tied to it. */
  session: string;
  /** Names the session, and is no secret. */
  sessionId: string;
  /** When the password was last given, in milliseconds since 1970. */
  signedInAt: number;
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
  signInAccount(accountId: string, userAgent?: string): Promise<SetCookies>;
  /** Ends the session; the cookies remove it from the browser. */
  signOut(cookieHeader: string | undefined): Promise<SetCookies>;
}
