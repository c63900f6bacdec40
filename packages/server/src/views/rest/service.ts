import { routes } from '@bindery/contract';
import type { FastifyInstance } from 'fastify';
import type { Parts } from '../../parts.ts';
import { checkReadiness } from '../../service/readiness.ts';
import { serve } from './serve.ts';

export function serviceViews(app: FastifyInstance, parts: Parts): void {
  serve(app, parts, routes.service.healthz, async () => ({ status: 'ok' as const }));

  serve(app, parts, routes.service.readyz, async () => {
    await checkReadiness(parts);
    return { status: 'ready' as const };
  });
}
