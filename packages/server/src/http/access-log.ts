import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { MaintenanceContext } from '../context.ts';
import { isHealthCheck } from './readiness.ts';

const MAX_PATH = 300;

/**
 * Records one log line and one measurement per response. Query strings, which carry tokens and signatures, are never
 * logged.
 */
export function logRequests(app: FastifyInstance, { log, metrics }: MaintenanceContext): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? '(none)';
    const { method } = request;
    const status = reply.statusCode;
    metrics.requestAnswered({ method, route, status, seconds: reply.elapsedTime / 1_000 });
    // They would drown out other requests.
    const level = isHealthCheck(request) ? 'debug' : 'info';
    log[level](
      {
        reqId: request.id,
        method,
        path: pathOf(request),
        status,
        ms: Math.round(reply.elapsedTime),
        address: request.ip,
      },
      'request',
    );
  });
}

/** Does the same for presigned URLs, which bypass the framework. A pull requests thousands, so they log as `debug`. */
export function logTransfer(
  { log, metrics }: MaintenanceContext,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  const { socket, method } = request;
  const sentBefore = socket.bytesWritten;
  response.once('close', () => {
    metrics.bytesTransferred('out', socket.bytesWritten - sentBefore);
    if (method === 'PUT') metrics.bytesTransferred('in', Number(request.headers['content-length'] ?? 0));
    log.debug({ method, path: pathOf(request), status: response.statusCode }, 'transfer');
  });
}

function pathOf(request: { url?: string | undefined } | FastifyRequest): string {
  const url = request.url ?? '';
  const query = url.indexOf('?');
  return (query < 0 ? url : url.slice(0, query)).slice(0, MAX_PATH);
}
