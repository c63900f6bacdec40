import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Whether an operator paused a webhook. A release that knows nothing of it lets its owner resume it. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .alterTable('webhooks')
    .addColumn('paused_by_operator', 'integer', (c) => c.notNull().defaultTo(0))
    .execute();
}

export const operatorsPauses: SchemaChange = { up, runsFrom: '0013-releases' };
