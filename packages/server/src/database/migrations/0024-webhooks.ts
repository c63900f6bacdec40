import type { Kysely } from 'kysely';
import type { SchemaChange } from '../schema-change.ts';

/** Adds webhooks and their deliveries. A release that does not know about them sends nothing. */
async function up({ schema }: Kysely<unknown>): Promise<void> {
  await schema
    .createTable('webhooks')
    .addColumn('id', 'text', (c) => c.primaryKey())
    .addColumn('namespace_id', 'text', (c) => c.notNull().references('namespaces.id').onDelete('cascade'))
    .addColumn('url', 'text', (c) => c.notNull())
    .addColumn('events', 'text')
    .addColumn('secret', 'text', (c) => c.notNull())
    .addColumn('previous_secret', 'text')
    .addColumn('previous_secret_until', 'bigint')
    .addColumn('failing_since', 'bigint')
    .addColumn('paused_at', 'bigint')
    .addColumn('pause_reason', 'text')
    .addColumn('sender', 'text')
    .addColumn('held_until', 'bigint', (c) => c.notNull().defaultTo(0))
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addColumn('created_by', 'text', (c) => c.notNull())
    .execute();
  await schema.createIndex('webhooks_by_namespace').on('webhooks').column('namespace_id').execute();
  await schema
    .createTable('webhook_deliveries')
    .addColumn('webhook_id', 'text', (c) => c.notNull().references('webhooks.id').onDelete('cascade'))
    .addColumn('id', 'text', (c) => c.notNull())
    .addColumn('event', 'text', (c) => c.notNull())
    .addColumn('payload', 'text', (c) => c.notNull())
    .addColumn('state', 'text', (c) => c.notNull())
    .addColumn('attempts', 'integer', (c) => c.notNull())
    .addColumn('due_at', 'bigint')
    .addColumn('last_attempt_at', 'bigint')
    .addColumn('last_status', 'integer')
    .addColumn('last_error', 'text')
    .addColumn('last_duration', 'bigint')
    .addColumn('created_at', 'bigint', (c) => c.notNull())
    .addPrimaryKeyConstraint('webhook_deliveries_key', ['webhook_id', 'id'])
    .execute();
  await schema
    .createIndex('webhook_deliveries_due')
    .on('webhook_deliveries')
    .columns(['webhook_id', 'due_at'])
    .where('due_at', 'is not', null)
    .execute();
  await schema
    .createIndex('webhook_deliveries_by_time')
    .on('webhook_deliveries')
    .column('created_at')
    .execute();
}

export const webhooks: SchemaChange = { up, runsFrom: '0013-releases' };
