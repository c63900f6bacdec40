import { z } from 'zod';
import { timestamp } from './parameters.ts';
import { SERVICE_EVENTS, WEBHOOK_EVENTS } from './webhook-events.ts';

export const webhookEvent = z.enum(WEBHOOK_EVENTS);
export const serviceEvent = z.enum(SERVICE_EVENTS);

/** Where changes in a namespace are sent. The secret that signs is answered once, when it is made. */
export const webhook = z.object({
  id: z.string(),
  url: z.string(),
  /** The events that are sent; null: all, those of later versions included. */
  events: z.array(webhookEvent).nullable(),
  /** Whether operators chose it to be told of the service too; another URL ends that. */
  serviceEvents: z.boolean(),
  /** `failing`: the last attempt failed, and others follow. `paused`: nothing is sent until it is resumed. */
  state: z.enum(['active', 'failing', 'paused']),
  /** Why the service or an operator paused it; null where an owner did, or where it is not paused. */
  pauseReason: z.string().nullable(),
  /** Since when no attempt has succeeded; null where the last one did. */
  failingSince: timestamp.nullable(),
  createdAt: timestamp,
  /** The user name of who made it. */
  createdBy: z.string(),
});
export type Webhook = z.infer<typeof webhook>;

/** One event on its way to one webhook. */
export const webhookDelivery = z.object({
  /** The header `webhook-id`: the same in every attempt. */
  id: z.string(),
  event: z.union([webhookEvent, serviceEvent, z.literal('ping')]),
  createdAt: timestamp,
  /** `failed`: given up after the last attempt. */
  state: z.enum(['pending', 'delivered', 'failed']),
  attempts: z.int(),
  /** Of a pending one. */
  nextAttemptAt: timestamp.nullable(),
  lastAttemptAt: timestamp.nullable(),
  /** What the receiver answered the last time; null: nothing that could be understood, or not asked yet. */
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
  pageInfo: z.object({ endCursor: z.string().nullable(), hasNextPage: z.boolean() }),
});
export type WebhookDeliveryPage = z.infer<typeof webhookDeliveryPage>;
