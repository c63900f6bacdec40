import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Sources that are imported again and again. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('watches')
    .addColumn('library_id', 'text', (column) =>
      column.primaryKey().references('libraries.id').onDelete('cascade'),
    )
    .addColumn('source', 'text', (column) => column.notNull())
    .addColumn('every', 'text', (column) => column.notNull())
    .addColumn('account_id', 'text', (column) => column.notNull())
    .addColumn('set_by', 'text', (column) => column.notNull())
    .addColumn('set_at', 'bigint', (column) => column.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('failures', 'bigint', (column) => column.notNull())
    .addColumn('problem', 'text')
    .addColumn('last_run_at', 'bigint')
    .addColumn('last_result', 'text')
    .addColumn('holder', 'text')
    .addColumn('held_until', 'bigint', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('watches_due').on('watches').column('due_at').execute();
}

export const watches: SchemaChange = { up, runsFrom: '0013-releases' };
