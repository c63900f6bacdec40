import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

const AMOUNTS = ['quota_libraries', 'quota_files', 'quota_bytes'];

/** Adds what a namespace can hold, and the measured usage of its libraries. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  for (const column of AMOUNTS) {
    await schema.alterTable('namespaces').addColumn(column, 'bigint').execute();
  }
  await schema
    .createTable('library_usage')
    .addColumn('store_id', 'text', (c) => c.primaryKey())
    .addColumn('revision', 'bigint', (c) => c.notNull())
    .addColumn('release_changes', 'bigint', (c) => c.notNull())
    .addColumn('files', 'bigint', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .execute();
}

export const namespaceQuotas: SchemaChange = { up, runsFrom: '0013-releases' };
