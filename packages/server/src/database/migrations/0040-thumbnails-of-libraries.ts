import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** What lists of libraries show of their assets; of those that are here, once they are registered again. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('libraries').addColumn('thumbnails', 'text').execute();
}

export const thumbnailsOfLibraries: SchemaChange = { up, runsFrom: '0013-releases' };
