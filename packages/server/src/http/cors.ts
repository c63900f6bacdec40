import { MANIFEST_HEADER, SEMANTIC_HEADER } from '@bindery/contract';
import fastifyCors from '@fastify/cors';
import type { FastifyInstance } from 'fastify';

/** What a page of another origin may read of a response, besides the headers that browsers always let it read. */
const EXPOSED_HEADERS = [
  'accept-encoding',
  'allow',
  'etag',
  'www-authenticate',
  'x-request-id',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  MANIFEST_HEADER,
  SEMANTIC_HEADER,
];

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
    exposedHeaders: [...EXPOSED_HEADERS],
    maxAge: 86_400,
  });
}
