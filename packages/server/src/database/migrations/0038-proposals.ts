import { type Kysely, sql } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Proposals. Code that does not know of them deletes what they consist of, but not within the grace period. */
async function up(db: Kysely<unknown>): Promise<void> {
  await sql`create table proposals (
    store_id text not null, number bigint not null, namespace_id text not null, title text not null, message text,
    state text not null check (state in ('open', 'accepted', 'refused', 'withdrawn')),
    author_id text not null, opened_at bigint not null, decided_by text, decided_at bigint,
    base_revision bigint not null, accepted_revision bigint,
    assets_added bigint not null, assets_removed bigint not null, assets_changed bigint not null,
    files_added bigint not null, bytes_added bigint not null, checks text, change text, described text,
    index_sha256 text not null, manifest_sha256 text not null, codes_sha256 text, artifacts_sha256 text,
    constraint proposals_key primary key (store_id, number)
  )`.execute(db);
  await sql`create index proposals_by_state on proposals (namespace_id, state, opened_at)`.execute(db);
  await sql`create table proposal_comments (
    store_id text not null, proposal bigint not null, number bigint not null, author_id text not null,
    at bigint not null, text text not null,
    constraint proposal_comments_key primary key (store_id, proposal, number)
  )`.execute(db);
}

export const proposals: SchemaChange = { up, runsFrom: '0013-releases' };
