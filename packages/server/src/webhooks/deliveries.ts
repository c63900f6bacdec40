import type { QueryOf, routes, WebhookDelivery, WebhookDeliveryPage } from '@bindery/contract';
import type { Viewer } from '../access/viewer.ts';
import { lockWebhookForWrite, type WebhookAddress, type WebhookRow } from '../access/webhooks.ts';
import { type AuditActor, actorOf, recordAudit } from '../audit/audit-log.ts';
import type { Context, DatabaseContext } from '../context.ts';
import { cursorPage, sortableId } from '../database/queries.ts';
import type { Database } from '../database/schema.ts';
import { notFound, ServiceError } from '../errors.ts';
import { ATTEMPT_LIMITS, countAttempt } from '../limits/attempts.ts';
import type { WaitingDeliveries } from '../metrics.ts';
import { payloadOf } from '../outbox/events.ts';
import { messageId } from '../outbox/queue-event.ts';
import { describeDelivery } from './manage.ts';

/** Returns a page of what was sent and is to be sent to a webhook, newest first. */
export async function deliveriesPage(
  { db }: DatabaseContext,
  webhookId: string,
  { first, after, state }: QueryOf<typeof routes.webhooks.listDeliveries>,
): Promise<WebhookDeliveryPage> {
  let rows = db.selectFrom('webhook_deliveries').selectAll().where('webhook_id', '=', webhookId);
  if (after !== undefined) rows = rows.where('id', '<', after);
  if (state !== undefined) rows = rows.where('state', '=', state);
  const found = await rows
    .orderBy('id', 'desc')
    .limit(first + 1)
    .execute();
  const page = cursorPage(found, first);
  return { deliveries: page.rows.map(describeDelivery), pageInfo: page.pageInfo };
}

/** Queues a test event, even for a paused webhook. Throws `rate_limited`. */
export async function pingWebhook(
  { db, clock, webhooks }: Context,
  viewer: Viewer,
  address: WebhookAddress,
): Promise<WebhookDelivery> {
  const now = clock();
  const delivery = await db.transaction().execute(async (trx) => {
    const { row } = await lockWebhookForWrite(trx, viewer, address);
    const budget = await countAttempt({ db: trx, clock }, ATTEMPT_LIMITS.webhookPing, row.id);
    if (!budget.granted) {
      const { resetSeconds: retryAfter } = budget;
      throw new ServiceError('rate_limited', 'Too many pings. Try again in a minute.', {
        retryAfter,
      });
    }
    return trx
      .insertInto('webhook_deliveries')
      .values({
        webhook_id: row.id,
        id: messageId(sortableId(now)),
        event: 'ping',
        payload: payloadOf('ping', now, { namespace: address.namespace }),
        state: 'pending',
        attempts: 0,
        due_at: now,
        created_at: now,
      })
      .returningAll()
      .executeTakeFirstOrThrow();
  });
  webhooks.wake();
  return describeDelivery(delivery);
}

/** Sends a delivery again, as if it had not been attempted. */
export async function redeliver(
  { db, clock, webhooks }: Context,
  viewer: Viewer,
  { deliveryId, ...address }: WebhookAddress & { deliveryId: string },
): Promise<WebhookDelivery> {
  const delivery = await db.transaction().execute(async (trx) => {
    const webhook = await lockWebhookForWrite(trx, viewer, address);
    return queueAgain(trx, webhook, deliveryId, { actor: actorOf(viewer), now: clock() });
  });
  webhooks.wake();
  return delivery;
}

/** Queues a delivery again. The caller must have checked that this is allowed. Throws `not_found`. */
export async function queueAgain(
  trx: Database,
  { row, namespace }: { row: Pick<WebhookRow, 'id' | 'url'>; namespace: { id: string; slug: string } },
  deliveryId: string,
  { actor, now }: { actor: AuditActor; now: number },
): Promise<WebhookDelivery> {
  const queued = await trx
    .updateTable('webhook_deliveries')
    .set({ state: 'pending', attempts: 0, due_at: now })
    .where('webhook_id', '=', row.id)
    .where('id', '=', deliveryId)
    .returningAll()
    .executeTakeFirst();
  if (!queued) throw notFound();
  await recordAudit(trx, now, actor, {
    action: 'webhook.redeliver',
    namespace,
    target: row.id,
    details: { host: new URL(row.url).host, delivery: deliveryId, event: queued.event },
  });
  return describeDelivery(queued);
}

/**
 * Counts what is queued for all webhooks of the service. What waits for a paused one is not counted as late: it says
 * nothing about how late the service is.
 */
export async function waitingDeliveries({ db, clock }: DatabaseContext): Promise<WaitingDeliveries> {
  const row = await db
    .selectFrom('webhook_deliveries as delivery')
    .innerJoin('webhooks', 'webhooks.id', 'delivery.webhook_id')
    .where('delivery.due_at', 'is not', null)
    .select(({ fn }) => [
      fn.countAll<number>().as('all'),
      fn.count<number>('webhooks.paused_at').as('paused'),
      fn.min('delivery.created_at').filterWhere('webhooks.paused_at', 'is', null).as('oldest'),
    ])
    .executeTakeFirstOrThrow();
  const { paused } = row;
  return {
    active: row.all - paused,
    paused,
    oldestSeconds: row.oldest === null ? 0 : Math.max(0, (clock() - row.oldest) / 1_000),
  };
}
