import type { Kysely } from 'kysely';
import type { Migration } from 'kysely/migration';

/** Makes it a single look-up whether a namespace has a public library, however many others it has. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createIndex('libraries_by_visibility')
    .on('libraries')
    .columns(['namespace_id', 'visibility', 'state'])
    .execute();
}

export const publicLibraries: Migration = { up };
