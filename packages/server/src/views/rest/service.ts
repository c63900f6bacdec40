import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { checkReadiness } from '../../service/readiness.ts';
import { openApiText } from '../openapi/text.ts';
import { serve } from './serve.ts';

export function serviceViews(app: FastifyInstance, context: Context): void {
  serve(app, context, routes.service.healthz, async () => ({ status: 'ok' as const }));

  serve(app, context, routes.service.readyz, async () => {
    const refusal = await checkReadiness(context);
    return { status: 'ready' as const, ...(refusal === null ? {} : { warnings: [refusal] }) };
  });

  let document: Promise<Buffer> | undefined;
  serve(app, context, routes.service.openapi, async ({ reply }) => {
    document ??= openApiText().then((text) => Buffer.from(text));
    reply.header('cache-control', 'public, max-age=300').type('application/json');
    return reply.send(await document);
  });
}
