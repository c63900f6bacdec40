import { sql } from 'kysely';
import type { Database } from '../database/schema.ts';
import { type Change, eventOf } from './events.ts';

/** The id of a delivery, from one that sorts by time. */
export function messageId(sortable: string): string {
  return `msg_${sortable}`;
}

/**
 * Queues a change for the namespace's webhooks as part of the transaction of the change: what is committed is sent, and
 * nothing else is. A namespace without webhooks pays one look-up in an index.
 */
export async function queueEvent(trx: Database, now: number, id: string, change: Change): Promise<void> {
  const told = eventOf(change, now);
  if (!told) return;
  const { event, payload } = told;
  await trx
    .insertInto('webhook_deliveries')
    .columns(['webhook_id', 'id', 'event', 'payload', 'state', 'attempts', 'due_at', 'created_at'])
    .expression(
      trx
        .selectFrom('webhooks')
        .select([
          'webhooks.id as webhook_id',
          sql<string>`cast(${messageId(id)} as text)`.as('id'),
          sql<string>`cast(${event} as text)`.as('event'),
          sql<string>`cast(${payload} as text)`.as('payload'),
          sql<string>`'pending'`.as('state'),
          sql<number>`0`.as('attempts'),
          sql<number>`cast(${now} as bigint)`.as('due_at'),
          sql<number>`cast(${now} as bigint)`.as('created_at'),
        ])
        .where('namespace_id', '=', change.namespace.id)
        .where((eb) => eb.or([eb('events', 'is', null), eb('events', 'like', `% ${event} %`)])),
    )
    .execute();
}
