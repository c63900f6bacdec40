import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { checkReadiness } from '../../http/readiness.ts';
import { serve } from '../../http/serve.ts';
import { openApiText } from '../openapi/text.ts';

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
