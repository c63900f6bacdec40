import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { defineRoute } from '../route.ts';

export const healthz = defineRoute({
  ...endpoints.service.healthz,
  summary: 'The process is alive',
  response: z.object({ status: z.literal('ok') }),
});

export const readyz = defineRoute({
  ...endpoints.service.readyz,
  summary: 'Database and store are reachable',
  response: z.object({
    status: z.literal('ready'),
    warnings: z.array(z.string()).optional().describe('What is not working, and why'),
  }),
  errors: ['unavailable'],
});

export const openapi = defineRoute({
  ...endpoints.service.openapi,
  summary: 'This description',
  response: z.record(z.string(), z.unknown()),
});
