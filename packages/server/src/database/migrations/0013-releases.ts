import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/**
 * Adds names for revisions, and a log of what the last registers changed. Code that does not know about releases would
 * delete the objects that they name, so it must not run alongside code that does.
 */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('releases')
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('name', 'text', (c) => c.notNull())
    .addColumn('notes', 'text')
    .addColumn('created_by', 'text', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull())
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
    .addColumn('manifest_layout', 'text', (c) => c.notNull())
    .addColumn('index_sha256', 'text', (c) => c.notNull())
    .addColumn('codes_sha256', 'text')
    .addColumn('artifacts_sha256', 'text')
    .addColumn('updated_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('releases_key', ['store_id', 'name'])
    .execute();

  await schema
    .createTable('register_log')
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('registered_by', 'text', (c) => c.notNull())
    .addColumn('registered_at', 'bigint', (c) => c.notNull())
    .addColumn('asset_count', 'bigint', (c) => c.notNull())
    .addColumn('file_count', 'bigint', (c) => c.notNull())
    .addColumn('total_bytes', 'bigint', (c) => c.notNull())
    .addColumn('assets_added', 'bigint', (c) => c.notNull())
    .addColumn('assets_removed', 'bigint', (c) => c.notNull())
    .addColumn('assets_changed', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('register_log_key', ['store_id', 'revision'])
    .execute();

  await schema
    .alterTable('library_names')
    .addColumn('release_changes', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
}

export const releases: SchemaChange = { up };
