import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/**
 * Records whether an operator paused a webhook. A release that does not know about it lets the webhook's owner resume
 * it.
 */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('webhooks')
    .addColumn('paused_by_operator', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}

export const operatorsPauses: SchemaChange = { up, runsFrom: '0013-releases' };
