import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** What a device calls itself, so that its owner knows it again among others. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('token_families').addColumn('client_name', 'text').execute();
}

export const loginNames: SchemaChange = { up, runsFrom: '0011-doomed-objects' };
