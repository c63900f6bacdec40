import { z } from 'zod';
import { pageInfo, timestamp } from './parameters.ts';
import { SERVICE_EVENTS, WEBHOOK_EVENTS } from './webhook-events.ts';

export const webhookEvent = z.enum(WEBHOOK_EVENTS);
export const serviceEvent = z.enum(SERVICE_EVENTS);

/** Where changes in a namespace are sent. The signing secret is returned once, when it is created. */
export const webhook = z.object({
  id: z.string(),
  url: z.string(),
  /** The events that are sent; null: all, including those of later versions. */
  events: z.array(webhookEvent).nullable(),
  /** Whether operators chose it to receive events of the service too; changing the URL ends that. */
  serviceEvents: z.boolean(),
  /** `failing`: the last attempt failed, and others will follow. `paused`: nothing is sent until it is resumed. */
  state: z.enum(['active', 'failing', 'paused']),
  /** Why the service or an operator paused it; null if an owner did, or if it is not paused. */
  pauseReason: z.string().nullable(),
  /** Since when no attempt has succeeded; null if the last one did. */
  failingSince: timestamp.nullable(),
  createdAt: timestamp,
  /** User name of its creator. */
  createdBy: z.string(),
});
export type Webhook = z.infer<typeof webhook>;

/** The delivery of one event to one webhook. */
export const webhookDelivery = z.object({
  /** The header `webhook-id`: the same in every attempt. */
  id: z.string(),
  event: z.union([webhookEvent, serviceEvent, z.literal('ping')]),
  createdAt: timestamp,
  /** `failed`: given up after the last attempt. */
  state: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  /** Null unless the delivery is pending. */
  nextAttemptAt: timestamp.nullable(),
  lastAttemptAt: timestamp.nullable(),
  /** Status of the receiver's last response; null: none that could be understood, or no attempt yet. */
  lastStatus: z.int().nullable(),
  /** Why the last attempt failed. */
  lastError: z.string().nullable(),
  /** Milliseconds that the last attempt took. */
  lastDuration: z.int().nullable(),
  /** The body as it is sent. */
  payload: z.record(z.string(), z.unknown()),
});
export type WebhookDelivery = z.infer<typeof webhookDelivery>;

export const webhookDeliveryPage = z.object({
  deliveries: z.array(webhookDelivery),
  pageInfo,
});
export type WebhookDeliveryPage = z.infer<typeof webhookDeliveryPage>;
