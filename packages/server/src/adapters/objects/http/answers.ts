import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { contentLost, ServiceError } from '../../../errors.ts';
import { ObjectDamaged } from '../../../objects/damaged.ts';
import { lackOfResources } from '../../../process/lack-of-resources.ts';

export function internal(): ServiceError {
  return new ServiceError('internal', 'Something went wrong on the server. The request id is in its log.');
}

/** None of the ranges that a client asks for has bytes of the file. */
export class RangeNotSatisfiable extends ServiceError {
  readonly size: number;

  constructor(range: string | undefined, size: number) {
    const message = `Range: the file has ${size} bytes (received "${String(range).slice(0, 80)}").`;
    super('range_not_satisfiable', message);
    this.size = size;
  }
}

/**
 * Headers of every response below the storage path. Stored content comes from users: it is served as a download, never
 * as a page, and cannot run scripts. A presigned URL is all the permission needed, so any origin can use one.
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
  'Accept-Ranges, Allow, Content-Disposition, Content-Range, ETag, RateLimit-Remaining, RateLimit-Reset, Retry-After, X-Request-Id',
];

/** How long the rest of a rejected body is read, so that the client gets to see the response. */
const LINGER_MS = 2_000;

/** Sends a response without a body. */
export function sendEmpty(response: ServerResponse, status: number, headers: string[] = []): void {
  response.writeHead(status, [...COMMON_HEADERS, 'X-Request-Id', randomUUID(), ...headers]);
  response.end();
}

/** Sends an error as every other route does: JSON with code, message and request id. */
export function sendError(
  request: IncomingMessage,
  response: ServerResponse,
  failure: ServiceError,
  headers: string[] = [],
): void {
  // Closing the connection after the response would reset it while the client is still sending, and the response would
  // be lost.
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
    ...(failure instanceof RangeNotSatisfiable ? ['Content-Range', `bytes */${failure.size}`] : []),
    ...headers,
  ]);
  response.end(request.method === 'HEAD' ? undefined : body);
  if (!request.complete) linger(request);
}

/** Headers that tell a rejected client when to retry. */
function retryHeaders({ status, details }: ServiceError): string[] {
  const { retryAfter } = details;
  if (typeof retryAfter !== 'number') return [];
  const seconds = String(Math.ceil(retryAfter));
  const headers = ['Retry-After', seconds];
  return status === 429 ? [...headers, 'RateLimit-Remaining', '0', 'RateLimit-Reset', seconds] : headers;
}

/** Reads and discards the rest of a rejected body for a while. */
function linger(request: IncomingMessage): void {
  const timer = setTimeout(() => request.destroy(), LINGER_MS);
  request.once('close', () => clearTimeout(timer));
  request.resume();
}

/** Converts an error, such as a full disk or a damaged object, to one for the client; null if the error is unexpected. */
export function failureOf(error: unknown): ServiceError | null {
  if (error instanceof ServiceError) return error;
  if (error instanceof ObjectDamaged) return contentLost('this file');
  return lackOfResources(error);
}
