import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('libraries').addColumn('codes_sha256', 'text').execute();
  await schema.alterTable('retired_revisions').addColumn('codes_sha256', 'text').execute();
}

export const vectorCodes: Migration = { up };
