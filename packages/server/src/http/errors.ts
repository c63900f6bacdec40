import { randomUUID } from 'node:crypto';
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { ERROR_STATUS, type ErrorCode } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DatabaseUnreachable, isConnectionLost } from '../database/failures.ts';
import { notFound, ServiceError } from '../errors.ts';
import { lackOfResources } from '../process/lack-of-resources.ts';
import { ProcessStopping } from './readiness.ts';

/** Failures of the HTTP layer itself, by Fastify's code. */
const FRAMEWORK_CODES: Record<string, ErrorCode> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'payload_too_large',
  FST_ERR_CTP_INVALID_MEDIA_TYPE: 'unsupported_media_type',
};

/** Seconds after which a client may retry, unless the failure says otherwise. */
const RETRY_AFTER = 1;

/** Maps every failure to an error response. Unexpected errors are logged and returned as `internal`. */
export function handleErrors(app: FastifyInstance, methods: { allowed(path: string): string[] }): void {
  app.setNotFoundHandler((request, reply) => {
    const allowed = methods.allowed(request.url.split('?', 1)[0] ?? '');
    if (allowed.length === 0) return sendError(request, reply, notFound());
    reply.header('allow', allowed.join(', '));
    return sendError(request, reply, methodNotAllowed(request.method, allowed));
  });
  app.setErrorHandler((error, request, reply) => sendError(request, reply, reportFailure(request, error)));
}

/** Returns what the client is told of an error; one that nobody expected is logged. */
export function reportFailure(request: FastifyRequest, error: unknown): ServiceError {
  const failure = isConnectionLost(error) ? connectionLost(request.method, error) : asServiceError(error);
  // A reached limit is no failure (the store itself logs a full disk), and neither is a process that stops.
  const isExpected =
    (error instanceof ServiceError && error.status === 507) || error instanceof ProcessStopping;
  if (failure.status >= 500 && !isExpected) request.log.error({ err: error }, 'request failed');
  return failure;
}

/** Responds to failures before routing, such as a path that cannot be decoded. Hooks have not run for these. */
export function handleFrameworkError(_error: unknown, request: FastifyRequest, reply: FastifyReply): void {
  reply.header('x-request-id', request.id).header('cache-control', 'no-store');
  void sendError(request, reply, new ServiceError('bad_request', 'The path is not a valid URL.'));
}

function methodNotAllowed(method: string, allowed: string[]): ServiceError {
  return new ServiceError('method_not_allowed', `This path accepts ${allowed.join(', ')}, not ${method}.`);
}

function sendError(request: FastifyRequest, reply: FastifyReply, failure: ServiceError) {
  const { status, code, message, details } = failure;
  // The handler may have failed after it described the response that it was about to send.
  reply.removeHeader('etag').header('cache-control', 'no-store');
  if (status === 401 && !reply.hasHeader('www-authenticate')) reply.header('www-authenticate', 'Bearer');
  // Only for content codings: by it clients tell them from media types (RFC 9110, section 12.5.3).
  if (typeof details.acceptEncoding === 'string') reply.header('accept-encoding', details.acceptEncoding);
  if (status === 429 || status === 503) {
    const seconds = typeof details.retryAfter === 'number' ? details.retryAfter : RETRY_AFTER;
    reply.header('retry-after', String(Math.ceil(seconds)));
    if (status === 429) reply.headers({ 'ratelimit-remaining': 0, 'ratelimit-reset': Math.ceil(seconds) });
  }
  return reply.status(status).send({ error: code, message, requestId: request.id, ...details });
}

export function asServiceError(error: unknown): ServiceError {
  if (error instanceof ServiceError) return error;
  const lack = lackOfResources(error);
  if (lack !== null) return lack;
  const { code, statusCode } = error as { code?: string; statusCode?: number };
  const mapped = code ? FRAMEWORK_CODES[code] : undefined;
  if (mapped) return new ServiceError(mapped, sentenceFor(mapped));
  if (statusCode === 429) return new ServiceError('rate_limited', 'Too many requests. Try again later.');
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500) {
    return new ServiceError('bad_request', 'The request is not valid.');
  }
  return new ServiceError('internal', 'Something went wrong on the server. The request id is in its log.');
}

/** Any client can safely retry a request that only reads. */
function connectionLost(method: string, error: unknown): ServiceError {
  return ['GET', 'HEAD'].includes(method)
    ? new DatabaseUnreachable(error)
    : new ServiceError(
        'internal',
        'The connection to the database broke. It is not known whether the change was made.',
      );
}

function sentenceFor(code: ErrorCode): string {
  switch (ERROR_STATUS[code]) {
    case 413:
      return 'The body is larger than this route accepts.';
    case 415:
      return 'Send JSON, as "Content-Type: application/json".';
    default:
      return 'The server is busy. Try again.';
  }
}

/** Records which methods each path accepts, for 405 responses with `Allow`. */
export function collectMethods(app: FastifyInstance): { allowed(path: string): string[] } {
  const methodsByPattern = new Map<string, Set<string>>();
  app.addHook('onRoute', ({ url, method }) => {
    const known = methodsByPattern.get(url) ?? new Set();
    for (const one of [method].flat()) known.add(one);
    methodsByPattern.set(url, known);
  });
  return {
    allowed: (path) => {
      const found = new Set<string>();
      for (const [pattern, methods] of methodsByPattern) {
        if (matches(pattern, path)) for (const method of methods) found.add(method);
      }
      return [...found].filter((method) => method !== 'OPTIONS').sort();
    },
  };
}

function matches(pattern: string, path: string): boolean {
  if (pattern.includes('*')) return false;
  const expected = pattern.split('/');
  const steps = path.split('/');
  return (
    expected.length === steps.length &&
    expected.every((step, at) => (step.startsWith(':') ? steps[at] !== '' : step === steps[at]))
  );
}

/** Errors of Node's HTTP parser, by their code; all others are a bad request. */
const PARSER_CODES: Record<string, ErrorCode> = {
  HPE_HEADER_OVERFLOW: 'headers_too_large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request_timeout',
};

const SENTENCES: Partial<Record<ErrorCode, string>> = {
  headers_too_large: 'The headers of the request are too large.',
  request_timeout: 'The request did not arrive in time.',
  unavailable: 'The server has too many open connections. Try again.',
};

/** Seconds after which a client may retry. */
const EXCESS_RETRY_AFTER = 5;

/** Milliseconds that a client has to read the response; otherwise one that never hangs up would keep its connection. */
const LINGER = 2_000;

/** Responds to what cannot be parsed as HTTP with an error in the usual format, and closes the connection. */
export function rejectUnparsable(error: NodeJS.ErrnoException, socket: Socket): void {
  const { _httpMessage: answering } = socket as { _httpMessage?: ServerResponse };
  if (error.code === 'ECONNRESET' || !socket.writable || answering?.headersSent) {
    socket.destroy();
    return;
  }
  const { status, headers, body } = refusal(PARSER_CODES[error.code ?? ''] ?? 'bad_request');
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  socket.end([`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n'));
  hangUp(socket);
}

/**
 * Responds 400 and closes the connection if a request names several hosts: a proxy in front may have used another one
 * (RFC 9112, section 3.2). Returns whether it did.
 */
export function refuseSeveralHosts(request: IncomingMessage, response: ServerResponse): boolean {
  if ((request.headersDistinct.host?.length ?? 0) <= 1) return false;
  const { status, headers, body } = refusal('bad_request');
  response.writeHead(status, headers).end(body);
  hangUp(request.socket);
  return true;
}

/** Responds 503 and closes the connection of a request that there are no file descriptors for. */
export function refuseExcess(request: IncomingMessage, response: ServerResponse): void {
  const { status, headers, body } = refusal('unavailable');
  response.writeHead(status, { ...headers, 'retry-after': String(EXCESS_RETRY_AFTER) }).end(body);
  hangUp(request.socket);
}

function hangUp(socket: Socket): void {
  const lingering = setTimeout(() => socket.destroy(), LINGER).unref();
  socket.once('close', () => clearTimeout(lingering));
}

function refusal(code: ErrorCode): { status: number; headers: Record<string, string>; body: string } {
  const requestId = randomUUID();
  const message = SENTENCES[code] ?? 'The request is not valid HTTP.';
  const body = JSON.stringify({ error: code, message, requestId });
  return {
    status: ERROR_STATUS[code],
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'content-length': String(Buffer.byteLength(body)),
      'x-request-id': requestId,
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
      connection: 'close',
    },
    body,
  };
}
