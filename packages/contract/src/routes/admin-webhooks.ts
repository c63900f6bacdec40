import { z } from 'zod';
import { administeredWebhook, administeredWebhookPage } from '../administration.ts';
import { endpoints } from '../endpoints.ts';
import { nodeId } from '../name-schemas.ts';
import { defineRoute } from '../route.ts';
import { webhook, webhookDelivery, webhookDeliveryPage } from '../webhooks.ts';
import { pageQuery } from './projects.ts';
import { deliveriesQuery } from './webhooks.ts';

const webhookParams = z.strictObject({ webhookId: nodeId });

export const listAllWebhooks = defineRoute({
  ...endpoints.adminWebhooks.listAllWebhooks,
  summary:
    'The webhooks of all namespaces, searchable by namespace, with their queued deliveries (operators)',
  query: pageQuery.extend({ state: webhook.shape.state.optional() }),
  response: administeredWebhookPage,
  errors: ['not_found'],
});

/**
 * Owners cannot resume what an operator paused. With `serviceEvents`, a webhook also receives events about accounts,
 * namespaces, quotas and damage.
 */
export const changeAnyWebhook = defineRoute({
  ...endpoints.adminWebhooks.changeAnyWebhook,
  summary:
    'Pauses or resumes a webhook of any namespace, and turns events of the service on or off for it (operators)',
  params: webhookParams,
  body: z
    .strictObject({ paused: z.boolean().optional(), serviceEvents: z.boolean().optional() })
    .refine(({ paused, serviceEvents }) => paused !== undefined || serviceEvents !== undefined, {
      error: 'at least one of paused and serviceEvents',
    }),
  response: administeredWebhook,
  errors: ['not_found'],
});

/** `after` is the `endCursor` of the previous page. */
export const listAnyDeliveries = defineRoute({
  ...endpoints.adminWebhooks.listAnyDeliveries,
  summary: 'Sent and queued deliveries of a webhook of any namespace, newest first (operators)',
  params: webhookParams,
  query: deliveriesQuery,
  response: webhookDeliveryPage,
  errors: ['not_found'],
});

export const redeliverAny = defineRoute({
  ...endpoints.adminWebhooks.redeliverAny,
  summary: 'Sends a delivery of any namespace again, under the same id (operators)',
  params: webhookParams.extend({ deliveryId: nodeId }),
  response: webhookDelivery,
  errors: ['not_found'],
});
