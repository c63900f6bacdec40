import type { NamespaceRole, TokenScope } from '@bindery/contract';
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
}
