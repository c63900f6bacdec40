import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** What a replaced revision's row was, so that it can be restored and released. */
async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('retired_revisions').addColumn('described', 'text').execute();
}

export const history: SchemaChange = { up, runsFrom: '0013-releases' };
