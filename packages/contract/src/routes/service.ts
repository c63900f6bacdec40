import { z } from 'zod';
import { endpoints } from '../endpoints.ts';
import { noBody, none } from '../parameters.ts';
import { defineRoute } from '../route.ts';

export const healthz = defineRoute({
  ...endpoints.service.healthz,
  summary: 'The process is alive',
  params: none,
  query: none,
  body: noBody,
  response: z.object({ status: z.literal('ok') }),
  errors: [],
});

export const readyz = defineRoute({
  ...endpoints.service.readyz,
  summary: 'Database and store are reachable',
  params: none,
  query: none,
  body: noBody,
  response: z.object({
    status: z.literal('ready'),
    warnings: z.array(z.string()).optional().describe('What is not working, and why'),
  }),
  errors: ['unavailable'],
});

export const openapi = defineRoute({
  ...endpoints.service.openapi,
  summary: 'This description',
  params: none,
  query: none,
  body: noBody,
  response: z.record(z.string(), z.unknown()),
  errors: [],
});
