import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { checkReadiness } from '../../http/readiness.ts';
import { serveStepwise } from '../../http/serve.ts';
import { openApiText } from '../openapi/document.ts';
import { adminViews, adminWebhookViews } from './admin.ts';
import { bindrViews, noteViews, projectViews } from './collaboration.ts';
import {
  libraryChangeViews,
  libraryReadViews,
  libraryUseViews,
  releaseViews,
  uploadViews,
} from './libraries.ts';
import { deviceLoginViews, tokenViews } from './login.ts';
import { namespaceViews } from './namespaces.ts';
import { proposalViews } from './proposals.ts';
import { searchViews } from './search.ts';
import { watchViews } from './watches.ts';
import { webhookViews } from './webhooks.ts';

/** Every REST route of the service, by resource. */
export function restViews(app: FastifyInstance, context: Context): void {
  serviceViews(app, context);
  const { role } = context.configuration;
  if (role !== 'api') deviceLoginViews(app, context);
  if (role === 'auth') return;
  tokenViews(app, context);
  namespaceViews(app, context);
  uploadViews(app, context);
  libraryReadViews(app, context);
  libraryUseViews(app, context);
  libraryChangeViews(app, context);
  releaseViews(app, context);
  proposalViews(app, context);
  searchViews(app, context);
  projectViews(app, context);
  noteViews(app, context);
  bindrViews(app, context);
  webhookViews(app, context);
  watchViews(app, context);
  adminViews(app, context);
  adminWebhookViews(app, context);
}

function serviceViews(app: FastifyInstance, context: Context): void {
  serveStepwise(app, context, routes.service.healthz, async () => ({ status: 'ok' as const }));

  serveStepwise(app, context, routes.service.readyz, async () => {
    const refusal = await checkReadiness(context);
    return { status: 'ready' as const, ...(refusal === null ? {} : { warnings: [refusal] }) };
  });

  let document: Promise<Buffer> | undefined;
  serveStepwise(app, context, routes.service.openapi, async ({ reply }) => {
    document ??= openApiText().then((text) => Buffer.from(text));
    reply.header('cache-control', 'public, max-age=300').type('application/json');
    return reply.send(await document);
  });
}
