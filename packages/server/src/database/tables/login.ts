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
  /** The family that the approval began; null before, and once it was ended. */
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
 * The tables of the sign-in library, which keeps times as ISO-8601 text on both databases.
 */

/** How an account proves who it is. `provider_id` is `credential` for a password. */
export interface SignInCredentialsTable {
  id: string;
  user_id: string;
  provider_id: string;
  account_id: string;
  /** As `hashPassword` wrote it. */
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
  /** By what it was made, as in `sign_in_credentials`; null: by a release that did not write it down. */
  provider_id: Generated<string | null>;
  /** When the person proved to a provider who they are, 1970 where it did not say; null: when the session began. */
  authenticated_at: Generated<string | null>;
}

/** From where accounts signed in before: failures from there have a budget of their own. */
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
