import type { NamespaceRole, ProjectRole, TokenScope, Visibility } from '@bindery/contract';
import type { Generated } from 'kysely';

export interface AccountTables {
  accounts: AccountsTable;
  namespaces: NamespacesTable;
  memberships: MembershipsTable;
  token_families: TokenFamiliesTable;
  personal_access_tokens: PersonalAccessTokensTable;
  invitations: InvitationsTable;
}

/** People. The sign-in library reads them; their passwords and sessions are in its own tables (`sign_in_*`). */
export interface AccountsTable {
  id: string;
  user_name: string;
  display_name: string;
  email: string;
  created_at: number;
  /** Since when nobody can sign in to it or use its tokens; null if it is not disabled. */
  disabled_at: Generated<number | null>;
  /** How many times all of its logins were ended. A sign-in that was in progress at such a time is refused. */
  logins_ended: Generated<number>;
  /** Whether the person administers the service: 0 or 1. */
  operator: Generated<number>;
}

export interface NamespacesTable {
  id: string;
  slug: string;
  display_name: string;
  kind: 'personal' | 'team';
  created_at: number;
  /** What it can hold; null if unlimited. */
  quota_libraries: Generated<number | null>;
  quota_files: Generated<number | null>;
  quota_bytes: Generated<number | null>;
  /** The account that created a team, which might not exist any more; null for personal namespaces. */
  created_by: Generated<string | null>;
}

export interface MembershipsTable {
  namespace_id: string;
  account_id: string;
  role: NamespaceRole;
}

/** Sign-ins that tokens came from. Ending one (deleting its row) ends its service tokens and its personal tokens. */
export interface TokenFamiliesTable {
  id: string;
  account_id: string;
  signed_in_at: number;
  /** When its tokens can no longer be renewed. */
  expires_at: number;
  /** The name that the device gave itself, if any. */
  client_name: Generated<string | null>;
  /** How the browser that approved it had signed in; null if a release that did not record it started it. */
  provider_id: Generated<string | null>;
}

export interface PersonalAccessTokensTable {
  id: string;
  account_id: string;
  /**
   * The device login that created it; null if an operator or a browser did, or if that login ended without ending it.
   */
  family_id: Generated<string | null>;
  /** Where the token is valid; everywhere if null. */
  namespace_id: string | null;
  name: string;
  /** Lowercase hex SHA-256 of the secret. */
  token_hash: string;
  scope: TokenScope;
  created_at: number;
  expires_at: number | null;
}

/** Invitations to sign up, each valid for one account. */
export interface InvitationsTable {
  /** Lowercase hex SHA-256 of the secret in the link. */
  token_hash: string;
  created_at: number;
  expires_at: number;
  /** Null for one that a release created which does not know about the columns from here on. */
  id: Generated<string | null>;
  /** Whom it is for, as far as the operator said. */
  email: Generated<string | null>;
  /** The user name of the operator; null for the service's own machine. */
  invited_by: Generated<string | null>;
}

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

export interface CollaborationTables {
  projects: ProjectsTable;
  project_grants: ProjectGrantsTable;
  notes: NotesTable;
  nodes: NodesTable;
  bindrs: BindrsTable;
  bindr_members: BindrMembersTable;
}

export interface ProjectsTable {
  id: string;
  namespace_id: string;
  slug: string;
  display_name: string;
  /** Display name and slug in lower case, for searches. */
  search_text: string;
  description: string;
  visibility: Visibility;
  created_at: number;
  updated_at: number;
}

export interface ProjectGrantsTable {
  project_id: string;
  account_id: string;
  role: ProjectRole;
}

export interface NotesTable {
  id: string;
  namespace_id: string;
  name: string;
  search_text: string;
  visibility: Visibility;
  created_at: number;
  updated_at: number;
}

/** A Note's place in a project. */
export interface NodesTable {
  id: string;
  project_id: string;
  note_id: string;
  /** Folders between commas; "," at the root. */
  path: string;
}

export interface BindrsTable {
  id: string;
  project_id: string;
  parent_id: string | null;
  name: string;
  search_text: string;
}

/** Which Bindr tags which Node. Both belong to the project. */
export interface BindrMembersTable {
  bindr_id: string;
  node_id: string;
}
