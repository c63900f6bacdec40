import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/**
 * Records how a person signed in, and when they authenticated with a provider. A release that does not know about it
 * leaves both empty.
 */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  for (const table of ['sign_in_sessions', 'token_families']) {
    await schema.alterTable(table).addColumn('provider_id', 'text').execute();
  }
  await schema.alterTable('sign_in_sessions').addColumn('authenticated_at', 'text').execute();
}

export const signIns: SchemaChange = { up, runsFrom: '0013-releases' };
