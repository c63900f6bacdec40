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
  app.setErrorHandler((error, request, reply) => {
    const failure = isConnectionLost(error) ? connectionLost(request.method, error) : asServiceError(error);
    // A reached limit is no failure (the store itself logs a full disk), and neither is a process that stops.
    const isExpected =
      (error instanceof ServiceError && error.status === 507) || error instanceof ProcessStopping;
    if (failure.status >= 500 && !isExpected) request.log.error({ err: error }, 'request failed');
    return sendError(request, reply, failure);
  });
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
  // The handler may have failed after it set the entity tag of the response it was about to send.
  reply.removeHeader('etag');
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
