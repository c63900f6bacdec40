import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/**
 * Records which webhooks also receive service events. A release that does not know about it sends them only the events
 * of their namespace.
 */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('webhooks')
    .addColumn('service_events', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}

export const serviceEvents: SchemaChange = { up, runsFrom: '0013-releases' };
