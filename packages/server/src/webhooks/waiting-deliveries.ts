import type { DatabaseContext } from '../context.ts';
import type { WaitingDeliveries } from '../metrics.ts';

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
