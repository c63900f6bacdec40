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
