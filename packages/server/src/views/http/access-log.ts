import type { IncomingMessage, ServerResponse } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Parts } from '../../parts.ts';

const LONGEST_PATH = 300;

/** Probes ask every few seconds and would drown the rest. */
const PROBES = new Set(['/healthz', '/readyz']);

/** One log line and one measurement for every answer. Queries carry tokens and signatures and are never logged. */
export function logRequests(app: FastifyInstance, { log, metrics }: Pick<Parts, 'log' | 'metrics'>): void {
  app.addHook('onResponse', async (request, reply) => {
    const route = request.routeOptions.url ?? '(none)';
    const { method } = request;
    const status = reply.statusCode;
    metrics.requestAnswered({ method, route, status, seconds: reply.elapsedTime / 1_000 });
    const level = PROBES.has(route) ? 'debug' : 'info';
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

/** The same for presigned URLs, which never reach the framework. A pull makes thousands: they log as `debug`. */
export function logTransfer(
  { log, metrics }: Pick<Parts, 'log' | 'metrics'>,
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
  return (query < 0 ? url : url.slice(0, query)).slice(0, LONGEST_PATH);
}
