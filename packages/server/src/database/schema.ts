import type { ManifestLayout, NamespaceRole, ProjectRole, TokenScope, Visibility } from '@bindery/contract';
import type { Generated, Kysely } from 'kysely';

/*
 * The tables. Times are integer milliseconds since 1970 (UTC), booleans 0 or 1, lists JSON text, so that SQLite
 * and PostgreSQL hold the same values. Ids are random text.
 */

/** Values that every replica shares: signing keys, the presign secret, the one-time set-up link. */
export interface SettingsTable {
  key: string;
  value: string;
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
}

export interface NamespacesTable {
  id: string;
  slug: string;
  display_name: string;
  kind: 'personal' | 'team';
  created_at: number;
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

/** Ids (`jti`) of access tokens of device logins that were exchanged and are no longer accepted. */
export interface SpentTokensTable {
  jti: string;
  expires_at: number;
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

/** Invitations to sign up, each good for one account. */
export interface InvitationsTable {
  /** Lowercase hex SHA-256 of the secret in the link. */
  token_hash: string;
  created_at: number;
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

/**
 * The register of library names. A row outlives its library: `last_revision` never goes back, not even after a
 * purge, and `store_id` names the folder of objects that belongs to the name's present library.
 */
export interface LibraryNamesTable {
  namespace_slug: string;
  name: string;
  store_id: string;
  last_revision: number;
  /** How many uploads the store has received: counts up, and orders them. */
  last_upload: Generated<number>;
  /** When the store is to be searched for objects that no revision names; null: nothing to look for. */
  reclaim_due_at: Generated<number | null>;
}

/** Stores whose library was purged and whose bytes are not all deleted yet. */
export interface DeadStoresTable {
  store_id: string;
}

export interface LibrariesTable {
  id: string;
  namespace_id: string;
  name: string;
  store_id: string;
  state: 'active' | 'deleted';
  /** Register counter; the compare-and-swap of a register is on this column. */
  revision: number;
  /** Counts every change of the row, for the detail's ETag. */
  changes: number;
  visibility: Visibility;
  share_token: string | null;
  type: string;
  title: string | null;
  description: string | null;
  provider: string | null;
  homepage: string | null;
  license: string | null;
  tags: string;
  upstream_repo: string | null;
  upstream_commit: string | null;
  asset_count: number;
  file_count: number;
  total_bytes: number;
  categories: string;
  kinds: string;
  licenses: string;
  /** Dimension and model of the sidecar; both null without a usable one. */
  vectors_dim: number | null;
  vectors_model: string | null;
  /** Object and path of a representative thumbnail. */
  cover_sha256: string | null;
  cover_path: string | null;
  manifest_sha256: string;
  manifest_size: number;
  manifest_layout: Generated<ManifestLayout>;
  /** Uploads up to this number belong to this revision or to none; later ones are for the next. */
  uploads_settled: Generated<number>;
  /** The revision index: a derived object that answers reads and searches of this revision. */
  index_sha256: string;
  /** The codes by which the vectors are searched: a derived object. Null without, and before there were any. */
  codes_sha256: string | null;
  /** The list of platform artifacts, from which the index can be rebuilt. Null without, and before there were any. */
  artifacts_sha256: string | null;
  created_at: number;
  updated_at: number;
  deleted_at: number | null;
}

/** Revisions that a newer one replaced. Their objects stay until the grace period is over. */
export interface RetiredRevisionsTable {
  store_id: string;
  revision: number;
  index_sha256: string;
  manifest_sha256: string;
  codes_sha256: string | null;
  artifacts_sha256: string | null;
  retired_at: number;
}

/** What was uploaded to which path since the last register, as the server itself measured it. */
export interface UploadReceiptsTable {
  store_id: string;
  path: string;
  sha256: string;
  size: number;
  /** The number of the upload in its store. Order is told by it alone: clocks of processes differ, and jump. */
  number: number;
  /** Says when the receipt expires. */
  received_at: number;
}

/** Objects whose bytes were found to be others than they are named for, until they are replaced. */
export interface DamagedObjectsTable {
  store_id: string;
  sha256: string;
  found_at: number;
}

/** What an account has uploaded to a store and not registered: at least so much as really waits. */
export interface UnregisteredBytesTable {
  account_id: string;
  store_id: string;
  bytes: number;
}

export interface MultipartUploadsTable {
  id: string;
  store_id: string;
  path: string;
  size: number;
  /** What the client announced; null if it announced nothing. */
  sha256: string | null;
  part_size: number;
  created_at: number;
  expires_at: number;
  /** What it became; null until it is completed. */
  completed_sha256: string | null;
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

export interface Tables {
  settings: SettingsTable;
  accounts: AccountsTable;
  namespaces: NamespacesTable;
  memberships: MembershipsTable;
  token_families: TokenFamiliesTable;
  personal_access_tokens: PersonalAccessTokensTable;
  spent_tokens: SpentTokensTable;
  device_requests: DeviceRequestsTable;
  invitations: InvitationsTable;
  sign_in_credentials: SignInCredentialsTable;
  sign_in_sessions: SignInSessionsTable;
  sign_in_origins: SignInOriginsTable;
  attempts: AttemptsTable;
  library_names: LibraryNamesTable;
  libraries: LibrariesTable;
  dead_stores: DeadStoresTable;
  retired_revisions: RetiredRevisionsTable;
  upload_receipts: UploadReceiptsTable;
  damaged_objects: DamagedObjectsTable;
  multipart_uploads: MultipartUploadsTable;
  unregistered_bytes: UnregisteredBytesTable;
  projects: ProjectsTable;
  project_grants: ProjectGrantsTable;
  notes: NotesTable;
  nodes: NodesTable;
  bindrs: BindrsTable;
  bindr_members: BindrMembersTable;
}

/** The port to the database: the same queries run on SQLite and on PostgreSQL. */
export type Database = Kysely<Tables>;
