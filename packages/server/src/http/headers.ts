import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';

const REQUEST_ID = 'x-request-id';

/** API responses are data: nothing in them may load, run or be framed. Pages set their own policy. */
const SECURITY_HEADERS = {
  'content-security-policy':
    "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'permissions-policy': 'camera=(), geolocation=(), microphone=()',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
};

const ONE_YEAR = 31_536_000;

/** Sets the headers of every response: request id, security, and who may cache it. */
export function setCommonHeaders(
  app: FastifyInstance,
  { publicUrl }: Pick<Configuration, 'publicUrl'>,
): void {
  const headers: Record<string, string> = publicUrl?.startsWith('https:')
    ? { ...SECURITY_HEADERS, 'strict-transport-security': `max-age=${ONE_YEAR}` }
    : SECURITY_HEADERS;

  app.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID, request.id);
    reply.headers(headers);
  });

  app.addHook('onSend', async (_request, reply) => {
    if (reply.hasHeader('cache-control')) return;
    reply.header('cache-control', reply.hasHeader('etag') ? 'private, no-cache' : 'no-store');
  });
}
