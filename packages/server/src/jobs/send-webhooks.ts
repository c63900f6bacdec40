import { randomUUID } from 'node:crypto';
import type { WebhookRow } from '../access/webhooks.ts';
import type { MaintenanceContext } from '../context.ts';
import { repeat } from '../process/repeat.ts';
import { deliverDue } from '../webhooks/deliver.ts';
import type { WebhookTransport } from '../webhooks/transport.ts';

/**
 * Milliseconds between two checks for what is due, and how long a service without webhooks waits before it checks for
 * any.
 */
const INTERVAL = 1_000;
const REMEMBERED = 30_000;

/** Maximum number of webhooks that a process sends to concurrently. */
const MAX_AT_A_TIME = 32;

/**
 * Maximum number of webhooks of one namespace that all processes together send to concurrently: receivers that do not
 * answer cannot take every place, however many namespaces of one account have them (by default 10).
 */
const MAX_OF_NAMESPACE = 2;

/**
 * Milliseconds for which one sender holds a webhook: longer than it sends, yet short enough for others to soon take
 * over from a killed sender.
 */
const HOLD = 60_000;

interface WebhookSender {
  wake(): void;
  /** Sends all that is due, except to webhooks that other senders hold. */
  sendDue(): Promise<void>;
  /** Interrupts attempts, and resolves once they are queued again. */
  stop(): Promise<void>;
}

/**
 * Sends what is due, to several webhooks concurrently and to each of them sequentially. Several processes that use one
 * database share the work: each webhook is held by one of them, until it is done or its time is over.
 */
export function startSendingWebhooks(
  context: MaintenanceContext,
  transport: WebhookTransport,
): WebhookSender {
  const { log } = context;
  const running = new Set<Promise<void>>();
  const stopping = new AbortController();
  let nextPollAt = 0;

  async function fill(): Promise<void> {
    while (running.size < MAX_AT_A_TIME && !stopping.signal.aborted) {
      const webhook = await claimWebhook(context);
      if (!webhook) return;
      const sending = deliverDue(context, transport, webhook, stopping.signal)
        .catch((error: unknown) =>
          log.error({ err: error, webhook: webhook.id }, 'a webhook could not be reached'),
        )
        .finally(() => running.delete(sending));
      running.add(sending);
    }
  }

  const polls = repeat({ every: INTERVAL, name: 'sending webhooks', log }, async () => {
    const now = performance.now();
    if (now < nextPollAt) return;
    if (!(await hasWebhooks(context))) nextPollAt = now + REMEMBERED;
    else await fill();
  });

  return {
    wake: () => {
      nextPollAt = 0;
    },
    async sendDue() {
      do {
        await fill();
        await Promise.all(running);
      } while (running.size > 0);
    },
    async stop() {
      stopping.abort();
      await polls.stop();
      await Promise.all(running);
    },
  };
}

async function hasWebhooks({ db }: MaintenanceContext): Promise<boolean> {
  return (await db.selectFrom('webhooks').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/**
 * Takes hold of a webhook to which something is due and which no sender holds. Namespaces take turns: the one that has
 * waited longest comes first, and its webhook that has.
 */
async function claimWebhook({ db, clock }: MaintenanceContext): Promise<WebhookRow | null> {
  const now = clock();
  const taken = await db
    .updateTable('webhooks')
    .set({ sender: randomUUID(), held_until: now + HOLD })
    .where('id', '=', (eb) =>
      eb
        .selectFrom('webhooks as waiting')
        .innerJoin(
          (of) =>
            of
              .selectFrom('webhooks as any')
              .select(({ fn }) => [
                'any.namespace_id',
                fn.max('any.held_until').as('served_at'),
                fn.count('any.sender').filterWhere('any.held_until', '>', now).as('held'),
              ])
              .groupBy('any.namespace_id')
              .as('turn'),
          (join) => join.onRef('turn.namespace_id', '=', 'waiting.namespace_id'),
        )
        .select('waiting.id')
        .where('waiting.paused_at', 'is', null)
        .where('waiting.held_until', '<=', now)
        .where('turn.held', '<', MAX_OF_NAMESPACE)
        .where(({ exists, selectFrom }) =>
          exists(
            selectFrom('webhook_deliveries')
              .select('webhook_deliveries.id')
              .whereRef('webhook_deliveries.webhook_id', '=', 'waiting.id')
              .where('webhook_deliveries.due_at', '<=', now),
          ),
        )
        .orderBy('turn.served_at')
        .orderBy('waiting.held_until')
        .limit(1),
    )
    // Checked again once the row is locked: another sender might have been faster.
    .where('held_until', '<=', now)
    .returningAll()
    .executeTakeFirst();
  return taken ?? null;
}
