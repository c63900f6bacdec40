import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Which libraries are to be published to a search engine, and which it has. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('search_changes')
    .addColumn('library_id', 'text', (column) => column.primaryKey())
    .addColumn('changes', 'bigint', (column) => column.notNull())
    .addColumn('queued_at', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('search_changes_by_time')
    .on('search_changes')
    .columns(['queued_at', 'library_id'])
    .execute();
  await db.schema
    .createTable('searched_libraries')
    .addColumn('library_id', 'text', (column) => column.primaryKey())
    .addColumn('number', 'bigint', (column) => column.notNull().unique())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('store_id', 'text', (column) => column.notNull())
    .addColumn('index_sha256', 'text', (column) => column.notNull())
    .addColumn('asset_count', 'bigint', (column) => column.notNull())
    .addColumn('vectors_model', 'text')
    .addColumn('vectors_version', 'text')
    .addColumn('shared_phrases', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createIndex('searched_libraries_by_sequence')
    .on('searched_libraries')
    .column('sequence')
    .execute();
  await db.schema
    .createTable('search_index')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('mapping', 'bigint', (column) => column.notNull())
    .addColumn('sequence', 'bigint', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('held_until', 'bigint', (column) => column.notNull())
    .execute();
}

export const searchEngine: SchemaChange = { up, runsFrom: '0013-releases' };
