import { type Kysely, sql } from 'kysely';
import type { Migration } from 'kysely/migration';

/**
 * Adds numbers that order uploads, the lists from which indexes can be rebuilt, and the objects found to be damaged.
 */
async function up(db: Kysely<unknown>): Promise<void> {
  const { schema } = db;
  await schema.alterTable('libraries').addColumn('artifacts_sha256', 'text').execute();
  await schema.alterTable('retired_revisions').addColumn('artifacts_sha256', 'text').execute();

  await schema
    .createTable('damaged_objects')
    .addColumn('store_id', 'text', (c) => c.notNull())
    .addColumn('sha256', 'text', (c) => c.notNull())
    .addColumn('found_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('damaged_objects_key', ['store_id', 'sha256'])
    .execute();

  await schema
    .alterTable('upload_receipts')
    .addColumn('number', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable('libraries')
    .addColumn('uploads_settled', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  await schema
    .alterTable('library_names')
    .addColumn('last_upload', 'bigint', (c) => c.notNull().defaultTo(0))
    .execute();
  // Uploads were ordered by time before this migration, so the times become the first numbers.
  await sql`update upload_receipts set number = received_at`.execute(db);
  await sql`update libraries set uploads_settled = uploads_settled_at`.execute(db);
  await sql`update library_names set last_upload = coalesce((
    select max(number) from (
      select store_id, number from upload_receipts
      union all select store_id, uploads_settled as number from libraries
    ) as known where known.store_id = library_names.store_id), 0)`.execute(db);
  await schema.alterTable('libraries').dropColumn('uploads_settled_at').execute();
}

export const integrity: Migration = { up };
