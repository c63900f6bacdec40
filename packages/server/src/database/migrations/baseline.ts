import { type Kysely, PostgresAdapter, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

export const BASELINE = '0027-service-events';

/**
 * The migrations that led to the baseline before the first release. They do nothing: databases of that time have them
 * recorded, and its servers, which may run on the same database, expect to find them there.
 */
export const BEFORE_BASELINE = [
  '0001-foundation',
  '0002-collaboration',
  '0003-vector-codes',
  '0004-expiry',
  '0005-token-families',
  '0006-integrity',
  '0008-uploads',
  '0009-public-libraries',
  '0010-schema-changes',
  '0011-doomed-objects',
  '0012-login-names',
  '0013-releases',
  '0014-operators',
  '0017-direct-uploads',
  '0018-namespace-quotas',
  '0020-servers',
  '0021-audit-log',
  '0022-readers',
  '0023-scrub',
  '0024-webhooks',
  '0025-sign-ins',
  '0026-operators-pauses',
];

/** The whole schema as of the first release. Constraints of `memberships` have the names that they have in databases of before. */
async function up(db: Kysely<unknown>): Promise<void> {
  const tables = await db.introspection.getTables();
  if (tables.some(({ name }) => name === 'settings')) {
    throw new Error('its schema is from before version 0.1.0, and this version cannot upgrade it');
  }
  // Names are ordered by their bytes on both databases: SQLite does so by default, PostgreSQL needs a collation.
  const name = db.getExecutor().adapter instanceof PostgresAdapter ? 'text collate "C"' : 'text';
  for (const statement of schema(name).split(';')) if (statement.trim()) await sql.raw(statement).execute(db);
}

export const baseline: SchemaChange = { up };

const schema = (name: string) => `
  create table settings (key text primary key, value text not null);

  create table schema_changes (migration text primary key, made_by text not null, runs_from text not null);

  create table servers (
    id text primary key, host text not null, version text not null, store text not null, model text,
    skew bigint not null, started_at bigint not null, seen_at bigint not null
  );

  create table accounts (
    id text primary key, user_name text not null unique, display_name text not null,
    email text not null unique, created_at bigint not null, disabled_at bigint,
    logins_ended bigint not null default 0, operator integer not null default 0
  );

  create table namespaces (
    id text primary key, slug text not null unique, display_name text not null,
    kind text not null check (kind in ('personal', 'team')), created_at bigint not null,
    quota_libraries bigint, quota_files bigint, quota_bytes bigint
  );

  create table memberships (
    namespace_id text not null
      constraint memberships_with_readers_namespace_id_fkey references namespaces (id) on delete cascade,
    account_id text not null
      constraint memberships_with_readers_account_id_fkey references accounts (id) on delete cascade,
    role text not null
      constraint memberships_with_readers_role_check check (role in ('owner', 'member', 'reader')),
    constraint memberships_with_readers_key primary key (namespace_id, account_id)
  );
  create index memberships_by_account on memberships (account_id, namespace_id);

  create table invitations (
    token_hash text primary key, created_at bigint not null, expires_at bigint not null
  );

  create table sign_in_credentials (
    id text primary key, user_id text not null references accounts (id) on delete cascade,
    provider_id text not null, account_id text not null, password text, access_token text, refresh_token text,
    id_token text, access_token_expires_at text, refresh_token_expires_at text, scope text,
    created_at text not null, updated_at text not null,
    constraint sign_in_credentials_by_provider unique (provider_id, account_id)
  );
  create index sign_in_credentials_by_user on sign_in_credentials (user_id);

  create table sign_in_sessions (
    id text primary key, token text not null unique,
    user_id text not null references accounts (id) on delete cascade, expires_at text not null,
    ip_address text, user_agent text, created_at text not null, updated_at text not null, provider_id text,
    authenticated_at text
  );
  create index sign_in_sessions_by_time on sign_in_sessions (expires_at);
  create index sign_in_sessions_by_user on sign_in_sessions (user_id);

  create table sign_in_origins (
    account text not null, caller text not null, signed_in_at bigint not null,
    constraint sign_in_origins_key primary key (account, caller)
  );
  create index sign_in_origins_by_time on sign_in_origins (signed_in_at);

  create table token_families (
    id text primary key, account_id text not null references accounts (id) on delete cascade,
    signed_in_at bigint not null, expires_at bigint not null, client_name text, provider_id text
  );
  create index token_families_by_account on token_families (account_id);
  create index token_families_by_time on token_families (expires_at);

  create table personal_access_tokens (
    id text primary key, account_id text not null references accounts (id) on delete cascade,
    namespace_id text references namespaces (id) on delete cascade, name text not null,
    token_hash text not null unique, scope text not null check (scope in ('read', 'write')),
    created_at bigint not null, expires_at bigint,
    family_id text references token_families (id) on delete cascade
  );
  create index personal_access_tokens_by_account on personal_access_tokens (account_id);
  create index personal_access_tokens_by_family on personal_access_tokens (family_id);

  create table device_requests (
    secret_hash text primary key, user_code text not null unique, client_name text, address text not null,
    state text not null, account_id text references accounts (id) on delete cascade,
    created_at bigint not null, expires_at bigint not null, last_polled_at bigint,
    family_id text references token_families (id) on delete set null
  );
  create index device_requests_by_family on device_requests (family_id);
  create index device_requests_by_time on device_requests (expires_at);

  create table spent_tokens (jti text primary key, expires_at bigint not null);
  create index spent_tokens_by_time on spent_tokens (expires_at);

  create table attempts (key text primary key, window_started_at bigint not null, count integer not null);
  create index attempts_by_time on attempts (window_started_at);

  create table libraries (
    id text primary key, namespace_id text not null references namespaces (id), name text not null,
    store_id text not null unique, state text not null check (state in ('active', 'deleted')),
    revision bigint not null, changes bigint not null,
    visibility text not null check (visibility in ('private', 'public')), share_token text,
    type text not null, title text, description text, provider text, homepage text, license text,
    tags text not null, upstream_repo text, upstream_commit text, asset_count bigint not null,
    file_count bigint not null, total_bytes bigint not null, categories text not null, kinds text not null,
    licenses text not null, vectors_dim integer, vectors_model text, cover_sha256 text, cover_path text,
    manifest_sha256 text not null, manifest_size bigint not null,
    manifest_layout text not null default 'current', index_sha256 text not null, created_at bigint not null,
    updated_at bigint not null, deleted_at bigint, codes_sha256 text, artifacts_sha256 text,
    uploads_settled bigint not null default 0,
    constraint libraries_by_name unique (namespace_id, name)
  );
  create index libraries_by_update on libraries (namespace_id, state, updated_at);
  create index libraries_by_visibility on libraries (namespace_id, visibility, state);
  create index libraries_public_by_update on libraries (state, visibility, updated_at);

  create table library_names (
    namespace_slug text not null, name text not null, store_id text not null unique,
    last_revision bigint not null, reclaim_due_at bigint, last_upload bigint not null default 0,
    deletions bigint not null default 0, reclaim_marks bigint not null default 0,
    release_changes bigint not null default 0,
    constraint library_names_key primary key (namespace_slug, name)
  );
  create index library_names_by_reclaim on library_names (reclaim_due_at);

  create table library_usage (
    store_id text primary key, revision bigint not null, release_changes bigint not null,
    files bigint not null, bytes bigint not null
  );

  create table releases (
    store_id text not null, name text not null, notes text, created_by text not null,
    created_at bigint not null, revision bigint not null, type text not null, title text, description text,
    provider text, homepage text, license text, tags text not null, upstream_repo text, upstream_commit text,
    asset_count bigint not null, file_count bigint not null, total_bytes bigint not null,
    categories text not null, kinds text not null, licenses text not null, vectors_dim integer,
    vectors_model text, cover_sha256 text, cover_path text, manifest_sha256 text not null,
    manifest_size bigint not null, manifest_layout text not null, index_sha256 text not null,
    codes_sha256 text, artifacts_sha256 text, updated_at bigint not null,
    constraint releases_key primary key (store_id, name)
  );

  create table register_log (
    store_id text not null, revision bigint not null, registered_by text not null,
    registered_at bigint not null, asset_count bigint not null, file_count bigint not null,
    total_bytes bigint not null, assets_added bigint not null, assets_removed bigint not null,
    assets_changed bigint not null,
    constraint register_log_key primary key (store_id, revision)
  );

  create table retired_revisions (
    store_id text not null, revision bigint not null, index_sha256 text not null,
    manifest_sha256 text not null, retired_at bigint not null, codes_sha256 text, artifacts_sha256 text,
    constraint retired_revisions_key primary key (store_id, revision)
  );

  create table doomed_objects (
    store_id text not null, sha256 text not null,
    state text not null check (state in ('leased', 'pending', 'deleting')), since bigint not null,
    deleter text,
    constraint doomed_objects_key primary key (store_id, sha256)
  );
  create index doomed_objects_by_state on doomed_objects (store_id, state, sha256);
  create index doomed_objects_by_time on doomed_objects (state, since);

  create table dead_stores (store_id text primary key);

  create table damaged_objects (
    store_id text not null, sha256 text not null, found_at bigint not null,
    constraint damaged_objects_key primary key (store_id, sha256)
  );

  create table scrub (
    id text primary key, holder text not null, store_id text not null, sha256 text not null,
    beats bigint not null, objects bigint not null, bytes bigint not null, damaged bigint not null,
    ended_at bigint, last_objects bigint, last_bytes bigint, last_damaged bigint
  );

  create table upload_receipts (
    store_id text not null, path text not null, sha256 text not null, size bigint not null,
    received_at bigint not null, number bigint not null default 0,
    constraint upload_receipts_key primary key (store_id, path, sha256)
  );
  create index upload_receipts_by_time on upload_receipts (received_at);

  create table multipart_uploads (
    id text primary key, store_id text not null, path text not null, size bigint not null, sha256 text,
    part_size bigint not null, created_at bigint not null, expires_at bigint not null, completed_sha256 text
  );
  create index multipart_uploads_by_path on multipart_uploads (store_id, path);
  create index multipart_uploads_by_time on multipart_uploads (expires_at);

  create table direct_uploads (
    id text primary key, store_id text not null, path text not null, size bigint not null, sha256 text,
    number bigint not null, created_at bigint not null, arrived integer not null default 0
  );
  create index direct_uploads_by_store on direct_uploads (store_id, arrived, number);
  create index direct_uploads_by_time on direct_uploads (created_at);

  create table unregistered_bytes (
    account_id text not null, store_id text not null, bytes bigint not null,
    constraint unregistered_bytes_key primary key (account_id, store_id)
  );

  create table projects (
    id text primary key, namespace_id text not null references namespaces (id), slug text not null,
    display_name ${name} not null, search_text text not null, description text not null,
    visibility text not null check (visibility in ('private', 'public')), created_at bigint not null,
    updated_at bigint not null,
    constraint projects_by_slug unique (namespace_id, slug)
  );
  create index projects_by_name on projects (namespace_id, display_name, id);
  create index projects_by_visibility on projects (namespace_id, visibility);

  create table project_grants (
    project_id text not null references projects (id) on delete cascade,
    account_id text not null references accounts (id) on delete cascade,
    role text not null check (role in ('reader', 'writer', 'admin')),
    constraint project_grants_key primary key (project_id, account_id)
  );
  create index project_grants_by_account on project_grants (account_id, project_id);

  create table notes (
    id text primary key, namespace_id text not null references namespaces (id), name ${name} not null,
    search_text text not null, visibility text not null check (visibility in ('private', 'public')),
    created_at bigint not null, updated_at bigint not null
  );
  create index notes_by_name on notes (namespace_id, name, id);
  create index notes_by_visibility on notes (namespace_id, visibility);

  create table nodes (
    id text primary key, project_id text not null references projects (id) on delete cascade,
    note_id text not null references notes (id) on delete cascade, path text not null,
    constraint nodes_by_note unique (note_id, project_id)
  );
  create index nodes_by_project on nodes (project_id, note_id);

  create table bindrs (
    id text primary key, project_id text not null references projects (id) on delete cascade,
    parent_id text references bindrs (id) on delete cascade, name ${name} not null,
    search_text text not null
  );
  create index bindrs_by_name on bindrs (project_id, name, id);
  create index bindrs_by_parent on bindrs (parent_id);

  create table bindr_members (
    bindr_id text not null references bindrs (id) on delete cascade,
    node_id text not null references nodes (id) on delete cascade,
    constraint bindr_members_key primary key (node_id, bindr_id)
  );
  create index bindr_members_by_bindr on bindr_members (bindr_id);

  create table webhooks (
    id text primary key, namespace_id text not null references namespaces (id) on delete cascade,
    url text not null, events text, secret text not null, previous_secret text, previous_secret_until bigint,
    failing_since bigint, paused_at bigint, pause_reason text, sender text,
    held_until bigint not null default 0, created_at bigint not null, created_by text not null,
    paused_by_operator integer not null default 0, service_events integer not null default 0
  );
  create index webhooks_by_namespace on webhooks (namespace_id);

  create table webhook_deliveries (
    webhook_id text not null references webhooks (id) on delete cascade, id text not null,
    event text not null, payload text not null, state text not null, attempts integer not null, due_at bigint,
    last_attempt_at bigint, last_status integer, last_error text, last_duration bigint,
    created_at bigint not null,
    constraint webhook_deliveries_key primary key (webhook_id, id)
  );
  create index webhook_deliveries_by_time on webhook_deliveries (created_at);
  create index webhook_deliveries_due on webhook_deliveries (webhook_id, due_at) where due_at is not null;

  create table audit_log (
    id text primary key, at bigint not null, action text not null, actor text, via text not null,
    namespace_id text, namespace text, target text, details text not null, address text, user_agent text
  );
  create index audit_log_by_namespace on audit_log (namespace_id, id);
  create index audit_log_by_time on audit_log (at);
`;
