import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../parts.ts';
import { listDeliveries, pingWebhook, redeliver } from '../../webhooks/deliveries.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateSecret,
} from '../../webhooks/manage.ts';
import { serve } from './serve.ts';

/** The routes for webhooks of a namespace and their deliveries. */
export function webhookViews(app: FastifyInstance, parts: Parts): void {
  const { webhooks } = routes;

  serve(app, parts, webhooks.listWebhooks, async ({ viewer, params }) => ({
    webhooks: await listWebhooks(parts, viewer, params),
  }));

  serve(app, parts, webhooks.createWebhook, ({ viewer, params, body }) =>
    createWebhook(parts, viewer, params, body),
  );

  serve(app, parts, webhooks.patchWebhook, ({ viewer, params, body }) =>
    changeWebhook(parts, viewer, params, body),
  );

  serve(app, parts, webhooks.deleteWebhook, async ({ viewer, params }) => {
    await deleteWebhook(parts, viewer, params);
    return null;
  });

  serve(app, parts, webhooks.rotateWebhookSecret, ({ viewer, params }) =>
    rotateSecret(parts, viewer, params),
  );

  serve(app, parts, webhooks.pingWebhook, ({ viewer, params }) => pingWebhook(parts, viewer, params));

  serve(app, parts, webhooks.listDeliveries, ({ viewer, params, query }) =>
    listDeliveries(parts, viewer, params, query),
  );

  serve(app, parts, webhooks.redeliver, ({ viewer, params }) => redeliver(parts, viewer, params));
}
