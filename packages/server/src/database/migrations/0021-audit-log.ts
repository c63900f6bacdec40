import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Records who changed what, and from where. Ids sort by time. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('audit_log')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('at', 'bigint', (c) => c.notNull())
    .addColumn('action', 'text', (c) => c.notNull())
    .addColumn('actor', 'text')
    .addColumn('via', 'text', (c) => c.notNull())
    .addColumn('namespace_id', 'text')
    .addColumn('namespace', 'text')
    .addColumn('target', 'text')
    .addColumn('details', 'text', (c) => c.notNull())
    .addColumn('address', 'text')
    .addColumn('user_agent', 'text')
    .execute();
  await schema
    .createIndex('audit_log_by_namespace')
    .on('audit_log')
    .columns(['namespace_id', 'id'])
    .execute();
  await schema.createIndex('audit_log_by_time').on('audit_log').column('at').execute();
}

export const auditLog: SchemaChange = { up, runsFrom: '0013-releases' };
