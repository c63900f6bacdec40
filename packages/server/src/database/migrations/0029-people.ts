import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Favourites, counts of use, and invitations that operators list and revoke. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`
    create table favourites (
      account_id text not null references accounts (id) on delete cascade,
      library_id text not null references libraries (id) on delete cascade,
      created_at bigint not null,
      constraint favourites_key primary key (account_id, library_id)
    )
  `.execute(db);
  await db.schema.createIndex('favourites_by_library').on('favourites').column('library_id').execute();
  await sql`
    create table use_counts (
      store_id text not null, asset_id text not null,
      downloads bigint not null default 0, uses bigint not null default 0,
      constraint use_counts_key primary key (store_id, asset_id)
    )
  `.execute(db);
  await db.schema.alterTable('invitations').addColumn('id', 'text').execute();
  await db.schema.alterTable('invitations').addColumn('email', 'text').execute();
  await db.schema.alterTable('invitations').addColumn('invited_by', 'text').execute();
}

export const people: SchemaChange = { up, runsFrom: '0013-releases' };
