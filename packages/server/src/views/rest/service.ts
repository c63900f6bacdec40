import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../parts.ts';
import { checkReadiness } from '../../service/readiness.ts';
import { openApiText } from '../openapi/text.ts';
import { serve } from './serve.ts';

export function serviceViews(app: FastifyInstance, parts: Parts): void {
  serve(app, parts, routes.service.healthz, async () => ({ status: 'ok' as const }));

  serve(app, parts, routes.service.readyz, async () => {
    const refusal = await checkReadiness(parts);
    return { status: 'ready' as const, ...(refusal === null ? {} : { warnings: [refusal] }) };
  });

  let document: Promise<Buffer> | undefined;
  serve(app, parts, routes.service.openapi, async ({ reply }) => {
    document ??= openApiText().then((text) => Buffer.from(text));
    reply.header('cache-control', 'public, max-age=300').type('application/json');
    return reply.send(await document);
  });
}
