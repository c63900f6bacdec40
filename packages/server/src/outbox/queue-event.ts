import type { ServiceEvent, WebhookEvent } from '@bindery/contract';
import { type Expression, expressionBuilder, type SqlBool, sql } from 'kysely';
import type { MaintenanceContext } from '../context.ts';
import { sortableId } from '../database/queries.ts';
import type { Database, Tables } from '../database/schema.ts';
import { type Change, eventOf, payloadOf } from './events.ts';

/** Derives the id of a delivery from an id that sorts by time. */
export function messageId(sortable: string): string {
  return `msg_${sortable}`;
}

/**
 * Queues a change for the namespace's webhooks in the transaction of the change, so that exactly what is committed is
 * sent. A namespace without webhooks costs one index look-up.
 */
export async function queueEvent(trx: Database, now: number, id: string, change: Change): Promise<void> {
  const message = eventOf(change, now);
  if (!message) return;
  const { eb, and, or } = expressionBuilder<Tables, 'webhooks'>();
  const isWanted = and([
    eb('namespace_id', '=', change.namespace.id),
    or([eb('events', 'is', null), eb('events', 'like', `% ${message.event} %`)]),
  ]);
  await queue(trx, now, { ...message, id, isWanted });
}

/** Like `queueEvent`, for service events and the webhooks that operators chose to receive them. */
export async function queueServiceEvent(
  trx: Database,
  now: number,
  { event, data }: { event: ServiceEvent; data: Record<string, unknown> },
): Promise<void> {
  const isWanted = expressionBuilder<Tables, 'webhooks'>()('service_events', '=', 1);
  await queue(trx, now, { event, payload: payloadOf(event, now, data), id: sortableId(now), isWanted });
}

interface Queued {
  event: WebhookEvent | ServiceEvent;
  payload: string;
  id: string;
  /** The condition for the webhooks that receive it. */
  isWanted: Expression<SqlBool>;
}

async function queue(trx: Database, now: number, { event, payload, id, isWanted }: Queued): Promise<void> {
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
        .where(isWanted),
    )
    .execute();
}

/**
 * Queues a library for the search engine, if there is one, in the transaction that changes what is searched of it. What is
 * queued already counts as changed again.
 */
export async function queueForSearch(
  { configuration, clock }: Pick<MaintenanceContext, 'configuration' | 'clock'>,
  trx: Database,
  libraryId: string,
): Promise<void> {
  if (configuration.searchEngine === null) return;
  await trx
    .insertInto('search_changes')
    .values({ library_id: libraryId, changes: 1, queued_at: clock() })
    .onConflict((conflict) =>
      conflict.column('library_id').doUpdateSet((eb) => ({ changes: eb('search_changes.changes', '+', 1) })),
    )
    .execute();
}
