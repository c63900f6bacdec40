import { constants } from 'node:zlib';
import { LOSSES_HEADER, MANIFEST_HEADER, MANIFEST_SIZE_HEADER, SEMANTIC_HEADER } from '@bindery/contract';
import fastifyCompress from '@fastify/compress';
import fastifyCors from '@fastify/cors';
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

/** What a page of another origin may read of a response, besides the headers that browsers always let it read. */
const EXPOSED_HEADERS = [
  'accept-encoding',
  'accept-ranges',
  'allow',
  'content-disposition',
  'content-range',
  'etag',
  'link',
  'repr-digest',
  'www-authenticate',
  'x-error-code',
  'x-error-message',
  'x-linked-etag',
  'x-linked-size',
  'x-repo-commit',
  'x-request-id',
  'retry-after',
  'ratelimit-limit',
  'ratelimit-remaining',
  'ratelimit-reset',
  LOSSES_HEADER,
  MANIFEST_HEADER,
  MANIFEST_SIZE_HEADER,
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
    allowedHeaders: ['authorization', 'content-type', 'if-none-match', 'if-range', 'range'],
    exposedHeaders: [...EXPOSED_HEADERS],
    maxAge: 86_400,
  });
}

/** Responses below this many bytes are not compressed. */
const THRESHOLD = 1_024;

/** Compresses JSON and text if the client accepts it, with fast settings, because it happens for every response. */
export async function compressResponses(app: FastifyInstance): Promise<void> {
  await app.register(fastifyCompress, {
    encodings: ['br', 'gzip', 'identity'],
    // Routes reject compressed bodies themselves, after they have checked access.
    globalDecompression: false,
    threshold: THRESHOLD,
    customTypes: /^(text\/(?!event-stream)|application\/(json|javascript)|image\/svg\+xml)/,
    brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 2 } },
    zlibOptions: { level: 2 },
  });
}

const PLAIN = /^[A-Za-z0-9 ._+-]*$/;

/**
 * Returns the `Content-Disposition` of a download (RFC 6266): a plain name for all clients, and the exact name for
 * those that read `filename*`.
 */
export function attachment(fileName: string): string {
  if (PLAIN.test(fileName)) return `attachment; filename="${fileName}"`;
  const plain = fileName.replace(/[^A-Za-z0-9 ._+-]/gu, '_');
  const exact = encodeURIComponent(fileName.toWellFormed()).replace(
    /['()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
  return `attachment; filename="${plain}"; filename*=UTF-8''${exact}`;
}
