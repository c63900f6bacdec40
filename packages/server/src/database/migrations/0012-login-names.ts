import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Adds the name that a device gives itself, by which its owner can tell it from others. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('token_families').addColumn('client_name', 'text').execute();
}

export const loginNames: SchemaChange = { up, runsFrom: '0011-doomed-objects' };
