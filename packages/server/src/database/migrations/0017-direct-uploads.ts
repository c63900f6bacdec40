import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/**
 * Records uploads that clients were told to send directly to the bucket. The service has to ask the bucket whether they
 * arrived.
 */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('direct_uploads')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('path', 'text', (c) => c.notNull())
    .addColumn('size', 'bigint', (c) => c.notNull())
    .addColumn('sha256', 'text')
    .addColumn('number', 'bigint', (c) => c.notNull())
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('arrived', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .createIndex('direct_uploads_by_store')
    .on('direct_uploads')
    .columns(['store_id', 'arrived', 'number'])
    .execute();
  await schema.createIndex('direct_uploads_by_time').on('direct_uploads').column('created_at').execute();
}

export const directUploads: SchemaChange = { up, runsFrom: '0012-login-names' };
