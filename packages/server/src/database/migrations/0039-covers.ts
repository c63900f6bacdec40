import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** The asset that somebody chose to stand for its library. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('libraries').addColumn('cover_asset', 'text').execute();
}

export const covers: SchemaChange = { up, runsFrom: '0013-releases' };
