import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { serveStepwise } from '../../http/serve.ts';
import { listDeliveries, pingWebhook, redeliver } from '../../webhooks/deliveries.ts';
import {
  changeWebhook,
  createWebhook,
  deleteWebhook,
  listWebhooks,
  rotateSecret,
} from '../../webhooks/manage.ts';

/** The routes for webhooks of a namespace and their deliveries. */
export function webhookViews(app: FastifyInstance, context: Context): void {
  const { webhooks } = routes;

  serveStepwise(app, context, webhooks.listWebhooks, async ({ viewer, params }) => ({
    webhooks: await listWebhooks(context, viewer, params),
  }));

  serveStepwise(app, context, webhooks.createWebhook, ({ viewer, params, body }) =>
    createWebhook(context, viewer, params, body),
  );

  serveStepwise(app, context, webhooks.patchWebhook, ({ viewer, params, body }) =>
    changeWebhook(context, viewer, params, body),
  );

  serveStepwise(app, context, webhooks.deleteWebhook, async ({ viewer, params }) => {
    await deleteWebhook(context, viewer, params);
    return null;
  });

  serveStepwise(app, context, webhooks.rotateWebhookSecret, ({ viewer, params }) =>
    rotateSecret(context, viewer, params),
  );

  serveStepwise(app, context, webhooks.pingWebhook, ({ viewer, params }) =>
    pingWebhook(context, viewer, params),
  );

  serveStepwise(app, context, webhooks.listDeliveries, ({ viewer, params, query }) =>
    listDeliveries(context, viewer, params, query),
  );

  serveStepwise(app, context, webhooks.redeliver, ({ viewer, params }) => redeliver(context, viewer, params));
}
