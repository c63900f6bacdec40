import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** A multipart upload that was completed is remembered for a while, with what it became. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema.alterTable('multipart_uploads').addColumn('completed_sha256', 'text').execute();
}

export const completedUploads: Migration = { up };
