import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Records the servers that use this database, so that one that differs from the others is noticed. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('servers')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('host', 'text', (c) => c.notNull())
    .addColumn('version', 'text', (c) => c.notNull())
    .addColumn('store', 'text', (c) => c.notNull())
    .addColumn('model', 'text')
    .addColumn('skew', 'bigint', (c) => c.notNull())
    .addColumn('started_at', 'bigint', (c) => c.notNull())
    .addColumn('seen_at', 'bigint', (c) => c.notNull())
    .execute();
}

export const servers: SchemaChange = { up, runsFrom: '0014-operators' };
