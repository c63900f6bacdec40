import { randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import { LIMITS } from '@bindery/contract';
import fastify, { type FastifyInstance } from 'fastify';
import type { Parts } from './parts.ts';
import { answerErrors } from './views/rest/errors.ts';
import { restViews } from './views/rest/index.ts';

const REQUEST_ID = 'x-request-id';

/** The service as an HTTP application over its parts. It does not listen yet. */
export async function createApp(parts: Parts): Promise<FastifyInstance> {
  const app: FastifyInstance = fastify({
    loggerInstance: parts.log,
    disableRequestLogging: true,
    bodyLimit: LIMITS.jsonBody,
    genReqId: () => randomUUID(),
    trustProxy: parts.configuration.trustedProxies.length > 0 ? parts.configuration.trustedProxies : false,
    exposeHeadRoutes: true,
    forceCloseConnections: 'idle',
    serverFactory: (handler) =>
      createServer((request, response) => {
        if (parts.serveObjects?.(request, response)) return;
        handler(request, response);
      }),
  }) as unknown as FastifyInstance;

  app.addHook('onRequest', async (request, reply) => {
    reply.header(REQUEST_ID, request.id);
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'buffer' },
    async (_request: unknown, body: Buffer) => body,
  );

  answerErrors(app);
  restViews(app, parts);
  return app;
}
