import type { Kysely } from 'kysely';
import { sql } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema
    .createTable('settings')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('value', 'text', (c) => c.notNull())
    .execute();

  await schema
    .createTable('accounts')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_name', 'text', (c) => c.notNull().unique())
    .addColumn('display_name', 'text', (c) => c.notNull())
    .addColumn('email', 'text', (c) => c.notNull().unique())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('namespaces')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('slug', 'text', (c) => c.notNull().unique())
    .addColumn('display_name', 'text', (c) => c.notNull())
    .addColumn('kind', 'text', (c) => c.notNull().check(sql`kind in ('personal', 'team')`))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('memberships')
    .addColumn('namespace_id', 'text', (c) => c.notNull().references('namespaces.id').onDelete('cascade'))
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('role', 'text', (c) => c.notNull().check(sql`role in ('owner', 'member')`))
    .addPrimaryKeyConstraint('memberships_key', ['namespace_id', 'account_id'])
    .execute();
  await schema
    .createIndex('memberships_by_account')
    .on('memberships')
    .columns(['account_id', 'namespace_id'])
    .execute();

  await schema
    .createTable('personal_access_tokens')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('account_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('namespace_id', 'text', (c) => c.references('namespaces.id').onDelete('cascade'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('token_hash', 'text', (c) => c.notNull().unique())
    .addColumn('scope', 'text', (c) => c.notNull().check(sql`scope in ('read', 'write')`))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint')
    .execute();
  await schema
    .createIndex('personal_access_tokens_by_account')
    .on('personal_access_tokens')
    .column('account_id')
    .execute();

  await schema
    .createTable('spent_tokens')
    .addColumn('jti', 'text', (c) => c.primaryKey())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('device_requests')
    .addColumn('secret_hash', 'text', (c) => c.primaryKey())
    .addColumn('user_code', 'text', (c) => c.notNull().unique())
    .addColumn('client_name', 'text')
    .addColumn('address', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.references('accounts.id').onDelete('cascade'))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .addColumn('last_polled_at', 'bigint')
    .execute();

  await schema
    .createTable('invitations')
    .addColumn('token_hash', 'text', (c) => c.primaryKey())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();

  await schema
    .createTable('sign_in_credentials')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('user_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('provider_id', 'text', (c) => c.notNull())
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('password', 'text')
    .addColumn('access_token', 'text')
    .addColumn('refresh_token', 'text')
    .addColumn('id_token', 'text')
    .addColumn('access_token_expires_at', 'text')
    .addColumn('refresh_token_expires_at', 'text')
    .addColumn('scope', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .addUniqueConstraint('sign_in_credentials_by_provider', ['provider_id', 'account_id'])
    .execute();
  await schema
    .createIndex('sign_in_credentials_by_user')
    .on('sign_in_credentials')
    .column('user_id')
    .execute();

  await schema
    .createTable('sign_in_sessions')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('token', 'text', (c) => c.notNull().unique())
    .addColumn('user_id', 'text', (c) => c.notNull().references('accounts.id').onDelete('cascade'))
    .addColumn('expires_at', 'text', (c) => c.notNull())
    .addColumn('ip_address', 'text')
    .addColumn('user_agent', 'text')
    .addColumn('created_at', 'text', (c) => c.notNull())
    .addColumn('updated_at', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('sign_in_sessions_by_user').on('sign_in_sessions').column('user_id').execute();

  await schema
    .createTable('attempts')
    .addColumn('key', 'text', (c) => c.primaryKey())
    .addColumn('window_started_at', 'bigint', (c) => c.notNull())
    .addColumn('count', 'integer', (c) => c.notNull())
    .execute();

  await schema
    .createTable('library_names')
    .addColumn('namespace_slug', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('store_id', 'text', (c) => c.notNull().unique())
    .addColumn('last_revision', 'bigint', (c) => c.notNull())
    .addColumn('reclaim_due_at', 'bigint')
    .addPrimaryKeyConstraint('library_names_key', ['namespace_slug', 'name'])
    .execute();

  await schema.createIndex('library_names_by_reclaim').on('library_names').column('reclaim_due_at').execute();

  await schema
    .createTable('dead_stores')
    .addColumn('store_id', 'text', (c) => c.primaryKey())
    .execute();

  await schema
    .createTable('libraries')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('namespace_id', 'text', (c) => c.notNull().references('namespaces.id'))
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('store_id', 'text', (c) => c.notNull().unique())
    .addColumn('state', 'text', (c) => c.notNull().check(sql`state in ('active', 'deleted')`))
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('changes', 'bigint', (c) => c.notNull())
    .addColumn('visibility', 'text', (c) => c.notNull().check(sql`visibility in ('private', 'public')`))
    .addColumn('share_token', 'text')
    .addColumn('type', 'text', (c) => c.notNull())
    .addColumn('title', 'text')
    .addColumn('description', 'text')
    .addColumn('provider', 'text')
    .addColumn('homepage', 'text')
    .addColumn('license', 'text')
    .addColumn('tags', 'text', (c) => c.notNull())
    .addColumn('upstream_repo', 'text')
    .addColumn('upstream_commit', 'text')
    .addColumn('asset_count', 'bigint', (c) => c.notNull())
    .addColumn('file_count', 'bigint', (c) => c.notNull())
    .addColumn('total_bytes', 'bigint', (c) => c.notNull())
    .addColumn('categories', 'text', (c) => c.notNull())
    .addColumn('kinds', 'text', (c) => c.notNull())
    .addColumn('licenses', 'text', (c) => c.notNull())
    .addColumn('vectors_dim', 'integer')
    .addColumn('vectors_model', 'text')
    .addColumn('cover_sha256', 'text')
    .addColumn('cover_path', 'text')
    .addColumn('manifest_sha256', 'text', (c) => c.notNull())
    .addColumn('manifest_size', 'bigint', (c) => c.notNull())
    .addColumn('manifest_layout', 'text', (c) => c.notNull().defaultTo('current'))
    .addColumn('uploads_settled_at', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('index_sha256', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addColumn('deleted_at', 'bigint')
    .addUniqueConstraint('libraries_by_name', ['namespace_id', 'name'])
    .execute();
  await schema
    .createIndex('libraries_public_by_update')
    .on('libraries')
    .columns(['state', 'visibility', 'updated_at'])
    .execute();
  await schema
    .createIndex('libraries_by_update')
    .on('libraries')
    .columns(['namespace_id', 'state', 'updated_at'])
    .execute();

  await schema
    .createTable('retired_revisions')
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('index_sha256', 'text', (c) => c.notNull())
    .addColumn('manifest_sha256', 'text', (c) => c.notNull())
    .addColumn('retired_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('retired_revisions_key', ['store_id', 'revision'])
    .execute();

  await schema
    .createTable('upload_receipts')
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('received_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('upload_receipts_key', ['store_id', 'path', 'sha256'])
    .execute();

  await schema
    .createTable('multipart_uploads')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text')
    .addColumn('part_size', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('expires_at', 'bigint', (c) => c.notNull())
    .execute();
  await schema
    .createIndex('multipart_uploads_by_path')
    .on('multipart_uploads')
    .columns(['store_id', 'path'])
    .execute();
}

export const foundation: Migration = { up };
