import { randomUUID } from 'node:crypto';
import {
  type BodyOf,
  DAY,
  LIMITS,
  type routes,
  type Webhook,
  type WebhookDelivery,
  type WebhookEvent,
} from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { VisibleNamespace } from '../access/namespaces.ts';
import { requireAccount, type Viewer } from '../access/viewer.ts';
import {
  lockNamespaceForOwner,
  lockWebhookForWrite,
  type WebhookAddress,
  type WebhookRow,
} from '../access/webhooks.ts';
import { actorOf, recordAudit } from '../audit/audit-log.ts';
import type { Context, DatabaseContext } from '../context.ts';
import { countRows, timeOf } from '../database/queries.ts';
import type { Database, WebhookDeliveriesTable } from '../database/schema.ts';
import { forbidden, invalidParameter, ServiceError } from '../errors.ts';
import { newWebhookSecret, type WebhookTransport } from './transport.ts';

/** How long the previous secret also signs after a rotation, in milliseconds. */
const OVERLAP = DAY;

interface NamespaceAddress {
  namespace: string;
}

export async function listWebhooks({ db }: DatabaseContext, { row }: VisibleNamespace): Promise<Webhook[]> {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('namespace_id', '=', row.id)
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.map(describeWebhook);
}

/** Creates a webhook and returns its secret, which is not shown again. Throws `too_many_webhooks`. */
export async function createWebhook(
  { db, clock, webhooks }: Context,
  viewer: Viewer,
  { namespace: slug }: NamespaceAddress,
  { url, events }: BodyOf<typeof routes.webhooks.createWebhook>,
): Promise<Webhook & { secret: string }> {
  requireUsableUrl(webhooks.transport, url);
  const row = {
    id: randomUUID(),
    url,
    events: storedEvents(events),
    secret: newWebhookSecret(),
    previous_secret: null,
    previous_secret_until: null,
    failing_since: null,
    paused_at: null,
    pause_reason: null,
    paused_by_operator: 0,
    service_events: 0,
    sender: null,
    held_until: 0,
    created_at: clock(),
    created_by: requireAccount(viewer).userName,
  };
  const made = await db.transaction().execute(async (trx) => {
    const namespace = await lockNamespaceForOwner(trx, viewer, slug);
    await requireRoom(trx, namespace.id);
    await recordAudit(trx, row.created_at, actorOf(viewer), {
      action: 'webhook.create',
      namespace,
      target: row.id,
      details: { host: new URL(url).host, events: events?.join(' ') ?? null },
    });
    const inserted = { ...row, namespace_id: namespace.id };
    await trx.insertInto('webhooks').values(inserted).execute();
    return inserted;
  });
  webhooks.wake();
  return { ...describeWebhook(made), secret: row.secret };
}

/** Changes a webhook; omitted fields stay the same. A resumed webhook sends immediately what was waiting. */
export async function changeWebhook(
  { db, clock, webhooks }: Context,
  viewer: Viewer,
  address: WebhookAddress,
  changes: BodyOf<typeof routes.webhooks.patchWebhook>,
): Promise<Webhook> {
  const changed = await db.transaction().execute(async (trx) => {
    const { row, namespace } = await lockWebhookForWrite(trx, viewer, address);
    const { url = row.url, events, paused } = changes;
    requireUsableUrl(webhooks.transport, url);
    const isOperators = row.paused_at !== null && row.paused_by_operator === 1;
    if (isOperators && paused === false) {
      throw forbidden('An operator of this service paused the webhook. Ask them to resume it.');
    }
    const now = clock();
    const updated = await trx
      .updateTable('webhooks')
      .set({
        url,
        ...(events === undefined ? {} : { events: storedEvents(events) }),
        ...(paused === undefined ? {} : { paused_at: paused ? (row.paused_at ?? now) : null }),
        // Pausing, resuming and a new URL clear the record of failures; an owner's pause has no reason.
        ...(paused !== undefined || url !== row.url ? { failing_since: null } : {}),
        ...(!isOperators && (paused !== undefined || url !== row.url)
          ? { pause_reason: null, paused_by_operator: 0 }
          : {}),
        ...(paused === false || url !== row.url ? { held_until: 0 } : {}),
        // Operators chose the previous receiver, not this one.
        ...(url !== row.url ? { service_events: 0 } : {}),
      })
      .where('id', '=', row.id)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(trx, now, actorOf(viewer), {
      action: 'webhook.change',
      namespace,
      target: row.id,
      details: {
        host: new URL(updated.url).host,
        events: updated.events?.trim() ?? null,
        paused: updated.paused_at !== null,
      },
    });
    return updated;
  });
  webhooks.wake();
  return describeWebhook(changed);
}

export async function deleteWebhook(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: WebhookAddress,
): Promise<void> {
  await db.transaction().execute(async (trx) => {
    const { row, namespace } = await lockWebhookForWrite(trx, viewer, address);
    await trx.deleteFrom('webhooks').where('id', '=', row.id).execute();
    await recordAudit(trx, clock(), actorOf(viewer), {
      action: 'webhook.delete',
      namespace,
      target: row.id,
      details: { host: new URL(row.url).host },
    });
  });
}

/** Creates a new secret. The previous one also signs for a day, so that receivers can switch without a gap. */
export async function rotateSecret(
  { db, clock }: DatabaseContext,
  viewer: Viewer,
  address: WebhookAddress,
): Promise<{ secret: string }> {
  const secret = newWebhookSecret();
  await db.transaction().execute(async (trx) => {
    const { row, namespace } = await lockWebhookForWrite(trx, viewer, address);
    const now = clock();
    await trx
      .updateTable('webhooks')
      .set({ secret, previous_secret: row.secret, previous_secret_until: now + OVERLAP })
      .where('id', '=', row.id)
      .execute();
    await recordAudit(trx, now, actorOf(viewer), { action: 'webhook.rotate', namespace, target: row.id });
  });
  return { secret };
}

async function requireRoom(trx: Database, namespaceId: string): Promise<void> {
  const total = await countRows(trx.selectFrom('webhooks').where('namespace_id', '=', namespaceId));
  if (total < LIMITS.webhooks.perNamespace) return;
  throw new ServiceError(
    'too_many_webhooks',
    `The namespace has ${LIMITS.webhooks.perNamespace} webhooks, the maximum. Remove some first.`,
  );
}

function requireUsableUrl(transport: WebhookTransport, url: string): void {
  const rule = transport.urlProblem(url);
  if (rule !== null) throw invalidParameter('url', `url: must be ${rule}.`);
}

export function describeWebhook(row: WebhookRow): Webhook {
  return {
    id: row.id,
    url: row.url,
    events: row.events === null ? null : (row.events.trim().split(' ') as WebhookEvent[]),
    serviceEvents: row.service_events === 1,
    state: row.paused_at !== null ? 'paused' : row.failing_since !== null ? 'failing' : 'active',
    pauseReason: row.pause_reason,
    failingSince: timeOf(row.failing_since),
    createdAt: new Date(row.created_at).toISOString(),
    createdBy: row.created_by,
  };
}

/**
 * Returns events as they are stored: each with a space before and after it, so that a search for one matches no other.
 */
function storedEvents(events: readonly WebhookEvent[] | null | undefined): string | null {
  return events ? ` ${events.join(' ')} ` : null;
}

export function describeDelivery(row: Selectable<WebhookDeliveriesTable>): WebhookDelivery {
  return {
    id: row.id,
    event: row.event,
    createdAt: new Date(row.created_at).toISOString(),
    state: row.state,
    attempts: row.attempts,
    nextAttemptAt: timeOf(row.due_at),
    lastAttemptAt: timeOf(row.last_attempt_at),
    lastStatus: row.last_status,
    lastError: row.last_error,
    lastDuration: row.last_duration,
    payload: JSON.parse(row.payload),
  };
}
