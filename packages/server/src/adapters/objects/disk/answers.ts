import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { ServiceError } from '../../../errors.ts';
import { isStorageFull, storageFull } from '../../../service/storage-full.ts';

/**
 * Headers of every answer below the storage path. What is stored came from users: it is a download, never a page,
 * and runs nothing. A presigned URL is the whole permission, so any origin may use one.
 */
export const COMMON_HEADERS = [
  'X-Content-Type-Options',
  'nosniff',
  'Content-Security-Policy',
  "sandbox; default-src 'none'",
  'Cross-Origin-Resource-Policy',
  'cross-origin',
  'Referrer-Policy',
  'no-referrer',
  'Access-Control-Allow-Origin',
  '*',
  'Access-Control-Expose-Headers',
  'Accept-Ranges, Content-Disposition, Content-Range, ETag, X-Request-Id',
];

/** How long the rest of a refused body is read, so that the client gets to see the answer. */
const LINGER_MS = 2_000;

/** Answers without a body. */
export function answerEmpty(response: ServerResponse, status: number, headers: string[] = []): void {
  response.writeHead(status, [...COMMON_HEADERS, 'X-Request-Id', randomUUID(), ...headers]);
  response.end();
}

/** Answers a failure as every other route does: JSON with code, sentence and request id. */
export function answerError(
  request: IncomingMessage,
  response: ServerResponse,
  failure: ServiceError,
  headers: string[] = [],
): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  // To close the connection with the answer would reset it under a client that still sends, and the answer would be lost.
  if (!request.complete) response.shouldKeepAlive = true;
  const requestId = randomUUID();
  const body = Buffer.from(
    JSON.stringify({ error: failure.code, message: failure.message, requestId, ...failure.details }),
  );
  response.writeHead(failure.status, [
    ...COMMON_HEADERS,
    'X-Request-Id',
    requestId,
    'Content-Type',
    'application/json; charset=utf-8',
    'Cache-Control',
    'no-store',
    'Content-Length',
    String(body.length),
    ...retryHeaders(failure),
    ...headers,
  ]);
  response.end(request.method === 'HEAD' ? undefined : body);
  if (!request.complete) linger(request);
}

/** When a refused client may retry. */
function retryHeaders({ status, details }: ServiceError): string[] {
  const { retryAfter } = details;
  if (typeof retryAfter !== 'number') return [];
  const seconds = String(Math.ceil(retryAfter));
  const headers = ['Retry-After', seconds];
  return status === 429 ? [...headers, 'RateLimit-Remaining', '0', 'RateLimit-Reset', seconds] : headers;
}

/** Takes the rest of a refused body for a while. */
function linger(request: IncomingMessage): void {
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
  request.resume();
}

/** What the file system reports, as a failure that a client understands. */
export function failureOf(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error;
  return isStorageFull(error) ? storageFull('The disk of the service is full.') : null;
}
