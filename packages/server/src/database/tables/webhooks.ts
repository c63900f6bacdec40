import type { ServiceEvent, WebhookEvent } from '@bindery/contract';
import type { Generated } from 'kysely';

export interface WebhookTables {
  webhooks: WebhooksTable;
  webhook_deliveries: WebhookDeliveriesTable;
}

/** Where changes in a namespace are sent. */
export interface WebhooksTable {
  id: string;
  namespace_id: string;
  url: string;
  /** Names of events, each with a space before and after it; null: all. */
  events: string | null;
  /** `whsec_` and base64. */
  secret: string;
  /** The secret before, which signs as well until then. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** Since when no attempt has succeeded; null where the last one did. */
  failing_since: number | null;
  paused_at: number | null;
  /** Why the service or an operator paused it; null where an owner did. */
  pause_reason: string | null;
  /** Whether an operator paused it, whom its owners have to ask: 0 or 1. Of a paused one. */
  paused_by_operator: Generated<number>;
  /** Whether operators chose it to be told of the service too: 0 or 1. */
  service_events: Generated<number>;
  /** The sender that is at it, and until when others leave it alone. */
  sender: string | null;
  held_until: Generated<number>;
  created_at: number;
  created_by: string;
}

/** Events to be sent and sent, each written in the transaction of the change that it tells of. */
export interface WebhookDeliveriesTable {
  webhook_id: string;
  /** The header `webhook-id`. Ids of a webhook sort by time. */
  id: string;
  event: WebhookEvent | ServiceEvent | 'ping';
  /** The body, as it is sent. */
  payload: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** When it is tried next; null: no more. */
  due_at: number | null;
  last_attempt_at: number | null;
  last_status: number | null;
  last_error: string | null;
  /** Milliseconds. */
  last_duration: number | null;
  created_at: number;
}
