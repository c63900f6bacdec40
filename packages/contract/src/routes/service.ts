import { z } from 'zod';
import { noBody, none } from '../parameters.ts';
import { defineRoute } from '../route.ts';

export const healthz = defineRoute({
  method: 'GET',
  path: '/healthz',
  summary: 'The process is alive',
  authentication: 'public',
  params: none,
  query: none,
  body: noBody,
  success: 200,
  response: z.object({ status: z.literal('ok') }),
  errors: [],
});

export const readyz = defineRoute({
  method: 'GET',
  path: '/readyz',
  summary: 'Database and store are reachable',
  authentication: 'public',
  params: none,
  query: none,
  body: noBody,
  success: 200,
  response: z.object({
    status: z.literal('ready'),
    warnings: z.array(z.string()).optional().describe('What does not work now, and why'),
  }),
  errors: ['unavailable'],
});

export const openapi = defineRoute({
  method: 'GET',
  path: '/openapi.json',
  summary: 'This description',
  authentication: 'public',
  params: none,
  query: none,
  body: noBody,
  success: 200,
  response: z.record(z.string(), z.unknown()),
  errors: [],
});
