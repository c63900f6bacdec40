import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

export const SCHEMA_CHANGES = '0010-schema-changes';

/** Records which versions of the service can run on the schema, for versions that do not know its newest migration. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('schema_changes')
    .addColumn('migration', 'text', (c) => c.primaryKey())
    .addColumn('made_by', 'text', (c) => c.notNull())
    .addColumn('runs_from', 'text', (c) => c.notNull())
    .execute();
}

export const schemaChanges: SchemaChange = { up };
