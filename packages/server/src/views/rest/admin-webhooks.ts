import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import {
  changeAnyWebhook,
  listAllWebhooks,
  listAnyDeliveries,
  redeliverAny,
} from '../../administration/webhooks.ts';
import type { Parts } from '../../parts.ts';
import { serve } from './serve.ts';

/** The webhooks of all namespaces, for operators. */
export function adminWebhookViews(app: FastifyInstance, parts: Parts): void {
  const { adminWebhooks } = routes;

  serve(app, parts, adminWebhooks.listAllWebhooks, ({ viewer, query }) =>
    listAllWebhooks(parts, viewer, query),
  );

  serve(app, parts, adminWebhooks.changeAnyWebhook, ({ viewer, params, body }) =>
    changeAnyWebhook(parts, viewer, params, body),
  );

  serve(app, parts, adminWebhooks.listAnyDeliveries, ({ viewer, params, query }) =>
    listAnyDeliveries(parts, viewer, params, query),
  );

  serve(app, parts, adminWebhooks.redeliverAny, ({ viewer, params }) => redeliverAny(parts, viewer, params));
}
