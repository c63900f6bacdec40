import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Sums of what stores have received for their next registers, and indexes that have lists in their order. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('upload_receipts').addColumn('counted', 'bigint').execute();
  for (const column of ['unregistered_files', 'unregistered_bytes'])
    await sql`alter table library_names add column ${sql.ref(column)} bigint not null default 0`.execute(db);
  await sql`
    update upload_receipts set counted = size where path not in ('.bindery/manifest.json', 'assets.json')
  `.execute(db);
  await db.schema
    .createIndex('upload_receipts_by_number')
    .on('upload_receipts')
    .columns(['store_id', 'number', 'counted'])
    .execute();
  await db.schema.dropIndex('library_names_by_reclaim').execute();
  await db.schema
    .createIndex('library_names_by_reclaim')
    .on('library_names')
    .columns(['reclaim_due_at', 'store_id'])
    .execute();
  for (const [name, columns] of LISTS) {
    await db.schema.dropIndex(name).execute();
    await db.schema.createIndex(name).on('libraries').columns(columns).execute();
  }
  await db.schema.dropIndex('direct_uploads_by_store').execute();
  await db.schema
    .createIndex('direct_uploads_by_store')
    .on('direct_uploads')
    .columns(['store_id', 'arrived', 'number', 'size'])
    .execute();
  await db.schema
    .createIndex('direct_uploads_by_content')
    .on('direct_uploads')
    .columns(['store_id', 'sha256'])
    .execute();
  const unregistered = sql`
    from upload_receipts left join libraries on libraries.store_id = upload_receipts.store_id
    where upload_receipts.store_id = library_names.store_id
      and upload_receipts.number > coalesce(libraries.uploads_settled, 0)`;
  await sql`
    update library_names set
      unregistered_files = (select count(counted) ${unregistered}),
      unregistered_bytes = (select coalesce(sum(counted), 0) ${unregistered})
  `.execute(db);
}

/** Indexes from which the beginning of a list is read, without the rows. */
const LISTS: [name: string, columns: string[]][] = [
  ['libraries_by_update', ['namespace_id', 'state', 'updated_at', 'id']],
  ['libraries_by_visibility', ['namespace_id', 'visibility', 'state', 'updated_at', 'id']],
  ['libraries_public_by_update', ['state', 'visibility', 'updated_at', 'id']],
];

export const sumsAndLists: SchemaChange = { up, runsFrom: '0013-releases' };
