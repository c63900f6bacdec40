import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** The signature logs of libraries. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('signatures')
    .addColumn('store_id', 'text', (column) => column.notNull())
    .addColumn('entry', 'bigint', (column) => column.notNull())
    .addColumn('statement', 'text', (column) => column.notNull())
    .addColumn('signature', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('signatures_key', ['store_id', 'entry'])
    .execute();
}

export const signatures: SchemaChange = { up, runsFrom: '0013-releases' };
