import type { Generated } from 'kysely';

export interface LoginTables {
  device_requests: DeviceRequestsTable;
  spent_tokens: SpentTokensTable;
  sign_in_credentials: SignInCredentialsTable;
  sign_in_sessions: SignInSessionsTable;
  sign_in_origins: SignInOriginsTable;
  attempts: AttemptsTable;
}

export interface DeviceRequestsTable {
  /** Lowercase hex SHA-256 of the machine's secret. */
  secret_hash: string;
  user_code: string;
  client_name: string | null;
  address: string;
  state: 'pending' | 'approved' | 'declined' | 'collected';
  account_id: string | null;
  /** The family that the approval started; null before that, and after the family was ended. */
  family_id: Generated<string | null>;
  created_at: number;
  expires_at: number;
  last_polled_at: number | null;
}

/** Ids (`jti`) of access tokens of device logins that were exchanged and are no longer accepted. */
export interface SpentTokensTable {
  jti: string;
  expires_at: number;
}

/*
 * The tables of the sign-in library, which stores times as ISO-8601 text on both databases.
 */

/** How an account authenticates. `provider_id` is `credential` for a password. */
export interface SignInCredentialsTable {
  id: string;
  user_id: string;
  provider_id: string;
  account_id: string;
  /** A result of `hashPassword`. */
  password: string | null;
  access_token: string | null;
  refresh_token: string | null;
  id_token: string | null;
  access_token_expires_at: string | null;
  refresh_token_expires_at: string | null;
  scope: string | null;
  created_at: string;
  updated_at: string;
}

/** Signed-in browsers. */
export interface SignInSessionsTable {
  id: string;
  token: string;
  user_id: string;
  expires_at: string;
  ip_address: string | null;
  user_agent: string | null;
  created_at: string;
  updated_at: string;
  /**
   * How the person signed in, as in `sign_in_credentials`; null if a release that did not record it created the
   * session.
   */
  provider_id: Generated<string | null>;
  /**
   * When the person authenticated with a provider, 1970 if the provider did not report it; null: when the session
   * began.
   */
  authenticated_at: Generated<string | null>;
}

/** Where accounts have signed in from; failed attempts from there have their own budget. */
export interface SignInOriginsTable {
  /** Lowercase hex SHA-256 of the e-mail address. */
  account: string;
  caller: string;
  signed_in_at: number;
}

/** Counters of attempts in a window of time, shared by all replicas. */
export interface AttemptsTable {
  key: string;
  window_started_at: number;
  count: number;
}
