import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import {
  changeAnyWebhook,
  listAllWebhooks,
  listAnyDeliveries,
  redeliverAny,
} from '../../administration/webhooks.ts';
import type { Context } from '../../context.ts';
import { serveStepwise } from '../../http/serve.ts';

/** The webhooks of all namespaces, for operators. */
export function adminWebhookViews(app: FastifyInstance, context: Context): void {
  const { adminWebhooks } = routes;

  serveStepwise(app, context, adminWebhooks.listAllWebhooks, ({ viewer, query }) =>
    listAllWebhooks(context, viewer, query),
  );

  serveStepwise(app, context, adminWebhooks.changeAnyWebhook, ({ viewer, params, body }) =>
    changeAnyWebhook(context, viewer, params, body),
  );

  serveStepwise(app, context, adminWebhooks.listAnyDeliveries, ({ viewer, params, query }) =>
    listAnyDeliveries(context, viewer, params, query),
  );

  serveStepwise(app, context, adminWebhooks.redeliverAny, ({ viewer, params }) =>
    redeliverAny(context, viewer, params),
  );
}
