import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Records the progress of the scrub, which server runs it, and how the last round ended. One row. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  let table = schema
    .createTable('scrub')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('holder', 'text', (c) => c.notNull())
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull());
  for (const column of ['beats', 'objects', 'bytes', 'damaged']) {
    table = table.addColumn(column, 'bigint', (c) => c.notNull());
  }
  for (const column of ['ended_at', 'last_objects', 'last_bytes', 'last_damaged']) {
    table = table.addColumn(column, 'bigint');
  }
  await table.execute();
}

export const scrub: SchemaChange = { up, runsFrom: '0021-audit-log' };
