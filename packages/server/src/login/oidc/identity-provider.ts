/** Who somebody is, as the provider says. */
export interface Identity {
  issuer: string;
  /** Names the person at the issuer, for good. */
  subject: string;
  /** Null where the provider gave none, or has not verified it. */
  verifiedEmail: string | null;
  displayName: string | null;
  /** What the person is called there; a wish for a user name. */
  preferredName: string | null;
  groups: readonly string[];
}

/** Somebody who comes back from the provider. */
export interface Authentication {
  identity: Identity;
  /** When they proved there who they are, in milliseconds since 1970; null where the provider does not say. */
  authenticatedAt: number | null;
}

/** What an answer is held against; known to the browser that began, and to nobody else. */
export interface AuthorizationChecks {
  state: string;
  nonce: string;
  /** The verifier of PKCE. */
  verifier: string;
}

/** The port to an OpenID Connect provider. Throws `unavailable` where it cannot be reached. */
export interface IdentityProvider {
  /** What people call it. */
  name: string;
  /** Where the browser goes to sign in; `again`: to prove lately who it is, also where it is signed in there already. */
  begin(callback: string, again: boolean): Promise<{ url: string; checks: AuthorizationChecks }>;
  /** Exchanges and verifies the answer that came to `url`. Throws `forbidden` for one that cannot be believed. */
  finish(url: URL, checks: AuthorizationChecks): Promise<Authentication>;
}
