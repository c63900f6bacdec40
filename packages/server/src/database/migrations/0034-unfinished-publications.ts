import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Which publications to a search engine were begun and not completed. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`alter table search_index add column unfinished text not null default '[]'`.execute(db);
}

export const unfinishedPublications: SchemaChange = { up, runsFrom: '0013-releases' };
