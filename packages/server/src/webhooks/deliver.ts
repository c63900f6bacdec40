import type { Selectable } from 'kysely';
import { MACHINE } from '../access/viewer.ts';
import type { WebhookRow } from '../access/webhooks.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { MaintenanceContext } from '../context.ts';
import type { WebhookDeliveriesTable } from '../database/schema.ts';
import { readVersion } from '../version.ts';
import { signatureOf, type WebhookOutcome, type WebhookTransport } from './transport.ts';

/**
 * Milliseconds after which a sender releases a webhook to the next one. Including the last attempt, it is shorter than
 * the hold.
 */
const RUN = 20_000;

const GONE = 410;
const USER_AGENT = `Bindery/${readVersion()}`;

type DeliveryRow = Selectable<WebhookDeliveriesTable>;
/**
 * Sends what is due to a webhook that the caller holds, oldest first, until an attempt fails; then releases the
 * webhook.
 */
export async function deliverDue(
  context: MaintenanceContext,
  transport: WebhookTransport,
  webhook: WebhookRow,
  signal: AbortSignal,
): Promise<void> {
  const end = performance.now() + RUN;
  let rest = 0;
  while (rest === 0 && !signal.aborted && performance.now() < end) {
    const delivery = await beginAttempt(context, webhook);
    if (!delivery) break;
    const started = performance.now();
    const outcome = await transport.send({ ...requestOf(context, webhook, delivery), signal });
    const attempt = { ...delivery, last_duration: Math.round(performance.now() - started) };
    if (await recordOutcome(context, webhook, attempt, outcome))
      webhook = { ...webhook, failing_since: null };
    else if (!signal.aborted) rest = PAUSE_AFTER_FAILURE;
  }
  const { db, clock } = context;
  await db
    .updateTable('webhooks')
    .set({ sender: null, held_until: clock() + rest })
    .where('id', '=', webhook.id)
    .where('sender', '=', webhook.sender)
    .execute();
}

/**
 * Counts an attempt before it is made and schedules the next one: if the process is killed in between, another one
 * picks up the delivery, and it is not retried endlessly. Returns null if nothing is due.
 */
async function beginAttempt(
  { db, clock }: MaintenanceContext,
  { id }: WebhookRow,
): Promise<DeliveryRow | null> {
  const now = clock();
  for (;;) {
    const due = await db
      .selectFrom('webhook_deliveries')
      .select(['id', 'attempts'])
      .where('webhook_id', '=', id)
      .where('due_at', '<=', now)
      .orderBy('due_at')
      .orderBy('id')
      .limit(1)
      .executeTakeFirst();
    if (!due) return null;
    const attempts = due.attempts + 1;
    const begun = await db
      .updateTable('webhook_deliveries')
      .set({ attempts, due_at: now + delayAfter(attempts), last_attempt_at: now })
      .where('webhook_id', '=', id)
      .where('id', '=', due.id)
      .where('attempts', '=', due.attempts)
      .where('due_at', '<=', now)
      .returningAll()
      .executeTakeFirst();
    if (begun) return begun;
  }
}

function requestOf({ clock }: MaintenanceContext, webhook: WebhookRow, { id, payload: body }: DeliveryRow) {
  const { url, secret, previous_secret: previous, previous_secret_until: until } = webhook;
  const isOverlap = previous !== null && until !== null && until > clock();
  const timestamp = Math.floor(clock() / 1_000);
  return {
    url,
    body,
    headers: {
      'content-type': 'application/json',
      'user-agent': USER_AGENT,
      'webhook-id': id,
      'webhook-timestamp': String(timestamp),
      'webhook-signature': signatureOf(isOverlap ? [secret, previous] : [secret], { id, timestamp, body }),
    },
  };
}

/** Records how an attempt ended, and returns whether it succeeded. */
async function recordOutcome(
  context: MaintenanceContext,
  webhook: WebhookRow,
  attempt: DeliveryRow,
  outcome: WebhookOutcome,
): Promise<boolean> {
  if (outcome.kind === 'interrupted') {
    const again = { attempts: attempt.attempts - 1, due_at: context.clock() };
    await update(context, attempt, again);
    return false;
  }
  const result = {
    last_status: outcome.kind === 'answered' ? outcome.status : null,
    // How long a failed lookup took would tell whether an internal name exists.
    last_duration: outcome.kind === 'answered' ? attempt.last_duration : null,
  };
  const error = failureOf(outcome);
  if (error === null) {
    await update(context, attempt, { ...result, state: 'delivered', due_at: null, last_error: null });
    context.metrics.webhookAttempted('delivered');
    if (webhook.failing_since !== null) {
      await context.db
        .updateTable('webhooks')
        .set({ failing_since: null })
        .where('id', '=', webhook.id)
        .execute();
    }
    return true;
  }
  const isLast = attempt.attempts >= MAX_ATTEMPTS;
  const asked = outcome.kind === 'answered' ? requestedDelay(outcome.retryAfterSeconds) : 0;
  const next = Math.max(attempt.due_at ?? 0, context.clock() + asked);
  await update(context, attempt, {
    ...result,
    last_error: error,
    ...(isLast ? { state: 'failed' as const, due_at: null } : { due_at: next }),
  });
  context.metrics.webhookAttempted(isLast ? 'failed' : 'deferred');
  await recordFailure(context, webhook, outcome);
  return false;
}

/** Updates a delivery, unless its redelivery was requested in the meantime. */
async function update(
  { db }: MaintenanceContext,
  { webhook_id, id, attempts }: DeliveryRow,
  values: Partial<DeliveryRow>,
): Promise<void> {
  await db
    .updateTable('webhook_deliveries')
    .set(values)
    .where('webhook_id', '=', webhook_id)
    .where('id', '=', id)
    .where('attempts', '=', attempts)
    .execute();
}

/** Returns why an attempt failed; null if it did not. */
function failureOf(outcome: Exclude<WebhookOutcome, { kind: 'interrupted' }>): string | null {
  if (outcome.kind === 'failed') return outcome.error;
  const { status } = outcome;
  if (status >= 200 && status < 300) return null;
  const isRedirect = status >= 300 && status < 400;
  return isRedirect ? `it responded with ${status}, and redirects are not followed` : `it answered ${status}`;
}

/**
 * Records a failure. Pauses the webhook, with a line in the audit log, if it responds that it is gone, or if nothing
 * has succeeded for too long.
 */
async function recordFailure(
  { db, clock, log }: MaintenanceContext,
  webhook: WebhookRow,
  outcome: WebhookOutcome,
): Promise<void> {
  const now = clock();
  const since = webhook.failing_since ?? now;
  const isGone = outcome.kind === 'answered' && outcome.status === GONE;
  const reason = isGone
    ? 'It responded with 410 Gone.'
    : now - since >= PAUSED_AFTER
      ? `Nothing could be delivered to it since ${new Date(since).toISOString()}.`
      : null;
  await db.transaction().execute(async (trx) => {
    const held = await trx
      .updateTable('webhooks')
      .set({
        failing_since: since,
        ...(reason === null ? {} : { paused_at: now, pause_reason: reason, paused_by_operator: 0 }),
      })
      .where('id', '=', webhook.id)
      .where('url', '=', webhook.url)
      .where('paused_at', 'is', null)
      .returning('namespace_id')
      .executeTakeFirst();
    if (!held || reason === null) return;
    const namespace = await trx
      .selectFrom('namespaces')
      .select(['id', 'slug'])
      .where('id', '=', held.namespace_id)
      .executeTakeFirst();
    await recordAudit(trx, now, actorOf(MACHINE), {
      action: 'webhook.pause',
      namespace: namespace ?? null,
      target: webhook.id,
      details: { host: new URL(webhook.url).host, reason },
    });
  });
  if (reason !== null) log.warn({ webhook: webhook.id, reason }, 'a webhook is paused');
}

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

const FIRST_DELAY = 30 * SECOND;
const FACTOR = 3;
const MAX_DELAY = 8 * HOUR;

/** The last attempt is made some 40 hours after the first. */
const MAX_ATTEMPTS = 12;

/**
 * A webhook is paused if nothing has succeeded for this long. It is less than all attempts take, so that a receiver
 * that is gone is paused before any delivery to it is given up.
 */
const PAUSED_AFTER = 24 * HOUR;

/** How long a webhook is left alone after a failure, whatever is due to it. */
const PAUSE_AFTER_FAILURE = 20 * SECOND;

/**
 * Returns the milliseconds from an attempt (the first is 1) to the next: three times as long each time, with a jitter
 * of 10 %, so that not everybody sends to a recovered receiver at once.
 */
function delayAfter(attempt: number): number {
  const delay = Math.min(FIRST_DELAY * FACTOR ** (attempt - 1), MAX_DELAY);
  return Math.round(delay * (0.9 + Math.random() / 5));
}

/** Returns the delay in milliseconds that a receiver requests by `Retry-After`, capped at our own longest delay. */
function requestedDelay(retryAfterSeconds: number | null): number {
  return Math.min((retryAfterSeconds ?? 0) * SECOND, MAX_DELAY);
}
