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
  /** Since when nobody may sign in to it or use its tokens; null: not disabled. */
  disabled_at: Generated<number | null>;
  /** How often all of its logins were ended. A sign-in that spans such an end does not count. */
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
  /** What it may hold; null: as much as there is room for. */
  quota_libraries: Generated<number | null>;
  quota_files: Generated<number | null>;
  quota_bytes: Generated<number | null>;
}

export interface MembershipsTable {
  namespace_id: string;
  account_id: string;
  role: NamespaceRole;
}

/** Sign-ins that tokens came from: ending one (its row goes) ends its service tokens and its personal ones. */
export interface TokenFamiliesTable {
  id: string;
  account_id: string;
  signed_in_at: number;
  /** The end of renewing. */
  expires_at: number;
  /** What the device called itself, if it did. */
  client_name: Generated<string | null>;
  /** By what the browser that approved it had signed in; null: a release began it that did not write it down. */
  provider_id: Generated<string | null>;
}

export interface PersonalAccessTokensTable {
  id: string;
  account_id: string;
  /** The sign-in that it was made with; null where an operator made it, or that sign-in ended by itself. */
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

/** Invitations to sign up, each good for one account. */
export interface InvitationsTable {
  /** Lowercase hex SHA-256 of the secret in the link. */
  token_hash: string;
  created_at: number;
  expires_at: number;
}
