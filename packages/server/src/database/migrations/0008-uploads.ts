import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Records completed multipart uploads for a while, and counts what each account has uploaded but not registered. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('multipart_uploads').addColumn('completed_sha256', 'text').execute();

  await schema
    .createTable('unregistered_bytes')
    .addColumn('account_id', 'text', (c) => c.notNull())
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('bytes', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('unregistered_bytes_key', ['account_id', 'store_id'])
    .execute();
}

export const uploads: Migration = { up };
