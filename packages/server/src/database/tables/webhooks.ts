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
  /** The previous secret, which also signs deliveries until then. */
  previous_secret: string | null;
  previous_secret_until: number | null;
  /** Since when no attempt has succeeded; null if the last one did. */
  failing_since: number | null;
  paused_at: number | null;
  /** Why the service or an operator paused it; null if an owner did. */
  pause_reason: string | null;
  /** Whether an operator paused it, so that its owners cannot resume it: 0 or 1. Meaningful only while it is paused. */
  paused_by_operator: Generated<number>;
  /** Whether operators chose it to receive service events too: 0 or 1. */
  service_events: Generated<number>;
  /** The sender that is working on it, and until when others leave it alone. */
  sender: string | null;
  held_until: Generated<number>;
  created_at: number;
  created_by: string;
}

/** Events that were or are to be sent, each written in the transaction of the change that it reports. */
export interface WebhookDeliveriesTable {
  webhook_id: string;
  /** The header `webhook-id`. Ids of a webhook sort by time. */
  id: string;
  event: WebhookEvent | ServiceEvent | 'ping';
  /** The body, as it is sent. */
  payload: string;
  state: 'pending' | 'delivered' | 'failed';
  attempts: number;
  /** When the next attempt is due; null if there is none. */
  due_at: number | null;
  last_attempt_at: number | null;
  last_status: number | null;
  last_error: string | null;
  /** Milliseconds. */
  last_duration: number | null;
  created_at: number;
}
