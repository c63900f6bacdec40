import type { Webhook, WebhookDelivery, WebhookEvent } from '@bindery/contract';
import type { Selectable } from 'kysely';
import type { WebhookRow } from '../access/webhooks.ts';
import type { WebhookDeliveriesTable } from '../database/schema.ts';

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
export function storedEvents(events: readonly WebhookEvent[] | null | undefined): string | null {
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

function timeOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}
