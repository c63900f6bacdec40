import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Digests of container images, by which clients find them again. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema
    .createTable('image_layers')
    .addColumn('store_id', 'text', (column) => column.notNull())
    .addColumn('files_sha256', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('tar_sha256', 'text', (column) => column.notNull())
    .addColumn('crc32', 'bigint', (column) => column.notNull())
    .addPrimaryKeyConstraint('image_layers_key', ['store_id', 'files_sha256'])
    .execute();
  await db.schema
    .createIndex('image_layers_digest')
    .on('image_layers')
    .columns(['store_id', 'sha256'])
    .execute();
  await db.schema
    .createTable('image_documents')
    .addColumn('store_id', 'text', (column) => column.notNull())
    .addColumn('sha256', 'text', (column) => column.notNull())
    .addColumn('index_sha256', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('image_documents_key', ['store_id', 'sha256'])
    .execute();
}

export const images: SchemaChange = { up, runsFrom: '0013-releases' };
