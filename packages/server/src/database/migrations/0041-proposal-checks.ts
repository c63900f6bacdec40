import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** What tools found in proposals, and which of that a library requires before it accepts one. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table proposal_checks (
    store_id text not null, proposal bigint not null, name text not null,
    state text not null check (state in ('passed', 'failed')), summary text, url text,
    posted_by text not null, posted_at bigint not null,
    constraint proposal_checks_key primary key (store_id, proposal, name)
  )`.execute(db);
  await db.schema.alterTable('libraries').addColumn('required_checks', 'text').execute();
}

export const proposalChecks: SchemaChange = { up, runsFrom: '0013-releases' };
