import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { BUNDLE } from '@bindery/contract';
import type { Logger } from 'pino';
import { contentLost, notFound, ServiceError } from '../../../errors.ts';
import { ObjectDamaged } from '../../../objects/damaged.ts';
import type { AnnouncedUpload, ObjectAddress, UploadIntake } from '../../../objects/store.ts';
import { lackOfResources } from '../../../process/lack-of-resources.ts';
import { type PartUrl, type PresignedUrls, STORAGE_PATH } from './presigned-urls.ts';

const METHODS = 'GET, HEAD, PUT, OPTIONS';

/** What every store needs in order to answer requests for the URLs that it presigns. */
export interface StorageOptions {
  /** 32 random bytes that sign presigned URLs; the same for every process that serves this store. */
  secret: Uint8Array;
  /** The origin that clients see, without a trailing slash. */
  publicUrl: () => string;
  clock: () => number;
  log: Logger;
  /** Called first for every request for a presigned URL; throws to reject it. */
  admit: (request: IncomingMessage, response: ServerResponse) => void;
  /** Whether a missing object was lost: then its URL responds with `content_lost`, otherwise with 404. */
  isLost: (object: ObjectAddress) => Promise<boolean>;
  intake: UploadIntake;
}

type Answer<Permitted extends unknown[]> = (
  request: IncomingMessage,
  response: ServerResponse,
  ...permitted: Permitted
) => Promise<void>;

/** Handlers of requests that a presigned URL allows. */
export interface StorageRoutes {
  sendBundle: Answer<[]>;
  receiveBundle: Answer<[]>;
  download: Answer<[object: ObjectAddress, fileName: string]>;
  receiveFile: Answer<[upload: AnnouncedUpload]>;
  receivePart: Answer<[part: PartUrl]>;
}

/** Creates the handler of the service's own presigned URLs; it returns false for other requests. */
export function createServeObjects(
  store: StorageRoutes & { urls: PresignedUrls } & Pick<StorageOptions, 'admit' | 'log'>,
) {
  return function serveObjects(request: IncomingMessage, response: ServerResponse): boolean {
    if (!request.url?.startsWith(STORAGE_PATH)) return false;
    answer(request, response).catch((error: unknown) => {
      const failure = failureOf(error);
      if (!failure && request.destroyed && !request.complete) return;
      sendError(request, response, failure ?? internal());
      if (!(error instanceof ServiceError)) store.log.error({ err: error }, 'a storage request failed');
    });
    return true;
  };

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    store.admit(request, response);
    const { method = '', url = '' } = request;
    if (method === 'OPTIONS') return sendEmpty(response, 204, PREFLIGHT);
    if (url === BUNDLE.path) {
      if (method === 'POST') return store.sendBundle(request, response);
      if (method === 'PUT') return store.receiveBundle(request, response);
      return refuseMethod(request, response, 'POST, PUT, OPTIONS');
    }
    if (!['GET', 'HEAD', 'PUT'].includes(method)) return refuseMethod(request, response, METHODS);
    const verdict = store.urls.verify(method, url);
    if (verdict === 'forged')
      throw new ServiceError('invalid_signature', 'The signature of the URL is not valid.');
    if (verdict === 'expired')
      throw new ServiceError('url_expired', 'The URL has expired. Ask for a new one.');
    if (verdict === 'unknown') throw notFound();
    switch (verdict.kind) {
      case 'get':
        return store.download(request, response, verdict.object, verdict.fileName);
      case 'put':
        return store.receiveFile(request, response, verdict.upload);
      case 'part':
        return store.receivePart(request, response, verdict.part);
    }
  }
}

function refuseMethod(request: IncomingMessage, response: ServerResponse, allowed: string): void {
  const failure = new ServiceError('method_not_allowed', `Only ${allowed} are served here.`);
  sendError(request, response, failure, ['Allow', allowed]);
}

const PREFLIGHT = [
  'Access-Control-Allow-Methods',
  'GET, HEAD, POST, PUT, OPTIONS',
  'Access-Control-Allow-Headers',
  'Content-Type, If-None-Match, If-Range, Range',
  'Access-Control-Max-Age',
  '86400',
];

function internal(): ServiceError {
  return new ServiceError('internal', 'Something went wrong on the server. The request id is in its log.');
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
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
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
