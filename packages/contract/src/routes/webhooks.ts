import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { LIMITS } from '../limits.ts';
import { namespaceSlug, nodeId } from '../name-schemas.ts';
import { integerParameter, namespaceParams, text } from '../parameters.ts';
import { defineRoute } from '../route.ts';
import { webhook, webhookDelivery, webhookDeliveryPage, webhookEvent } from '../webhooks.ts';

const webhookParams = z.strictObject({ namespace: namespaceSlug, webhookId: nodeId });
const deliveryParams = webhookParams.extend({ deliveryId: nodeId });

const url = text(LIMITS.webhooks.url);
const events = z.array(webhookEvent).min(1).max(webhookEvent.options.length).nullable();
const secret = z.string();

/** Which deliveries of a webhook to return. */
export const deliveriesQuery = z.strictObject({
  first: integerParameter({ min: 1, ...LIMITS.webhooks.deliveryPageSize }),
  after: nodeId.optional(),
  state: webhookDelivery.shape.state.optional(),
});

export const listWebhooks = defineRoute({
  ...endpoints.webhooks.listWebhooks,
  summary: 'The webhooks of a namespace (owners)',
  params: namespaceParams,
  response: z.object({ webhooks: z.array(webhook) }),
  errors: ['not_found', 'forbidden'],
});

/** `events` left out, or null, means all. `secret` is not returned again. */
export const createWebhook = defineRoute({
  ...endpoints.webhooks.createWebhook,
  summary: 'Sends the events of a namespace to a URL, signed (owners)',
  params: namespaceParams,
  body: z.strictObject({ url, events: events.optional() }),
  response: webhook.extend({ secret }),
  errors: ['not_found', 'forbidden', 'too_many_webhooks'],
});

/** `paused: false` also sends what has been waiting. */
export const patchWebhook = defineRoute({
  ...endpoints.webhooks.patchWebhook,
  summary: 'Changes the URL or events of a webhook, pauses or resumes it (owners)',
  params: webhookParams,
  body: z.strictObject({ url: url.optional(), events: events.optional(), paused: z.boolean().optional() }),
  response: webhook,
  errors: ['not_found', 'forbidden'],
});

export const deleteWebhook = defineRoute({
  ...endpoints.webhooks.deleteWebhook,
  summary: 'Removes a webhook and its deliveries (owners)',
  params: webhookParams,
  errors: ['not_found', 'forbidden'],
});

export const rotateWebhookSecret = defineRoute({
  ...endpoints.webhooks.rotateWebhookSecret,
  summary: 'Rotates the secret; for a day the previous one also signs (owners)',
  params: webhookParams,
  response: z.object({ secret }),
  errors: ['not_found', 'forbidden'],
});

export const pingWebhook = defineRoute({
  ...endpoints.webhooks.pingWebhook,
  summary: 'Sends a test event (owners)',
  params: webhookParams,
  response: webhookDelivery,
  errors: ['not_found', 'forbidden', 'rate_limited'],
});

/** `after` is the `endCursor` of the previous page. */
export const listDeliveries = defineRoute({
  ...endpoints.webhooks.listDeliveries,
  summary: 'Sent and queued deliveries of a webhook, newest first (owners)',
  params: webhookParams,
  query: deliveriesQuery,
  response: webhookDeliveryPage,
  errors: ['not_found', 'forbidden'],
});

export const redeliver = defineRoute({
  ...endpoints.webhooks.redeliver,
  summary: 'Sends a delivery again, under the same id (owners)',
  params: deliveryParams,
  response: webhookDelivery,
  errors: ['not_found', 'forbidden'],
});
