import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Which webhooks are told of the service too. A release that knows nothing of it tells them of their namespace alone. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('webhooks')
    .addColumn('service_events', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}

export const serviceEvents: SchemaChange = { up, runsFrom: '0013-releases' };
