import { SEMANTIC_HEADER } from '@bindery/contract';
import fastifyCors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/**
 * Lets any origin call the API with a token that it holds itself. Cookies are never allowed, so a page of another
 * origin cannot act as the person who is signed in here.
 */
export async function allowTokenClients(app: FastifyInstance): Promise<void> {
  await app.register(fastifyCors, {
    origin: '*',
    credentials: false,
    strictPreflight: false,
    methods: ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'],
    allowedHeaders: ['authorization', 'content-type', 'if-none-match'],
    exposedHeaders: [
      'etag',
      'x-request-id',
      'retry-after',
      'ratelimit-limit',
      'ratelimit-remaining',
      'ratelimit-reset',
      SEMANTIC_HEADER,
    ],
    maxAge: 86_400,
  });
}
