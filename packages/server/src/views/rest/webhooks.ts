import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import { loadNamespaceForOwner, loadNamespaceForReadingOwner } from '../../access/namespaces.ts';
import type { Viewer } from '../../access/viewer.ts';
import {
  loadWebhookForReading,
  loadWebhookForWrite,
  type OwnWebhook,
  type WebhookAddress,
} from '../../access/webhooks.ts';
import type { Context } from '../../context.ts';
import { serve } from '../../http/serve.ts';
import { deliveriesPage, pingWebhook, redeliver } from '../../webhooks/deliveries.ts';
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
  const forWrite = ({ db }: Context, viewer: Viewer, webhook: WebhookAddress): Promise<OwnWebhook> =>
    loadWebhookForWrite(db, viewer, webhook);

  serve(app, context, webhooks.listWebhooks, {
    access: ({ db }, viewer, { namespace }) => loadNamespaceForReadingOwner(db, viewer, namespace),
    run: async (context, { target }) => ({ webhooks: await listWebhooks(context, target) }),
  });

  serve(app, context, webhooks.createWebhook, {
    access: ({ db }, viewer, { namespace }) => loadNamespaceForOwner(db, viewer, namespace),
    run: (context, { viewer, params, body }) => createWebhook(context, viewer, params, body),
  });

  serve(app, context, webhooks.patchWebhook, {
    access: forWrite,
    run: (context, { viewer, params, body }) => changeWebhook(context, viewer, params, body),
  });

  serve(app, context, webhooks.deleteWebhook, {
    access: forWrite,
    run: (context, { viewer, params }) => deleteWebhook(context, viewer, params),
  });

  serve(app, context, webhooks.rotateWebhookSecret, {
    access: forWrite,
    run: (context, { viewer, params }) => rotateSecret(context, viewer, params),
  });

  serve(app, context, webhooks.pingWebhook, {
    access: forWrite,
    run: (context, { viewer, params }) => pingWebhook(context, viewer, params),
  });

  serve(app, context, webhooks.listDeliveries, {
    access: ({ db }, viewer, webhook) => loadWebhookForReading(db, viewer, webhook),
    run: (context, { target, query }) => deliveriesPage(context, target.row.id, query),
  });

  serve(app, context, webhooks.redeliver, {
    access: forWrite,
    run: (context, { viewer, params }) => redeliver(context, viewer, params),
  });
}
