import type { Route } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { notFound, ServiceError } from '../errors.ts';
import { prepareBody } from './body.ts';
import { parseNamed } from './parse-input.ts';
import { viewerOf } from './viewer.ts';

/**
 * The input of a handler. `query` and `body` are functions, so that handlers check access before they validate input.
 */
export interface Exchange<R extends Route> {
  viewer: Viewer;
  params: z.output<R['params']>;
  query(): z.output<R['query']>;
  body(): z.output<R['body']>;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** Binds one route of the contract to a handler that returns the response's body. */
export function serve<R extends Route>(
  app: FastifyInstance,
  context: Context,
  route: R,
  handler: (exchange: Exchange<R>) => Promise<z.output<R['response']> | FastifyReply>,
): void {
  app.route({
    method: route.method,
    url: route.path,
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    handler: async (request, reply) => {
      const viewer = await viewerOf(context, route.authentication, request);
      const params = parsePath(route, request.params);
      const body = await prepareBody(context, route, request);
      reply.status(route.success);
      const query = () => parseNamed(route.query, request.query) as z.output<R['query']>;
      const refuseUnknownParameters = () => {
        if (Object.keys(request.query as object).length > 0) query();
      };
      const result = await handler({
        viewer,
        params: params as z.output<R['params']>,
        query,
        body: () => {
          refuseUnknownParameters();
          return body() as z.output<R['body']>;
        },
        request,
        reply,
      });
      if (reply.sent || result === reply) return reply;
      // Load balancers may add parameters to health checks.
      if (route.method === 'GET' && route.authentication !== 'public') refuseUnknownParameters();
      return result === null ? reply.send() : reply.send(result);
    },
  });
}

/** Throws `not_found` for a malformed name of something that must exist, because nothing has that name. */
function parsePath(route: Route, values: unknown): unknown {
  try {
    return parseNamed(route.params, values);
  } catch (error) {
    const isNew =
      error instanceof ServiceError && route.strictNames?.includes(String(error.details.parameter));
    throw isNew ? error : notFound();
  }
}
