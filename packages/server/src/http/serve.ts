import type { ParamsOf, QueryOf, ResponseOf, Route } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { notFound, ServiceError } from '../errors.ts';
import { readBody } from './body.ts';
import { parseNamed } from './parse-input.ts';
import { viewerOf } from './viewer.ts';

/** What is known of a request before its input is parsed. */
interface Arrival<R extends Route> {
  viewer: Viewer;
  params: ParamsOf<R>;
  request: FastifyRequest;
  reply: FastifyReply;
}

/** A request whose viewer has access, with its input. */
export interface Call<R extends Route, Target> extends Arrival<R> {
  target: Target;
  query: QueryOf<R>;
  body: z.output<R['body']>;
}

/** What a handler returns: the response's body, or the reply that it has sent itself. */
type Answer<R extends Route> = ResponseOf<R> | FastifyReply | Nothing<R>;

/** Nothing, where the response has no body. */
// biome-ignore lint/suspicious/noConfusingVoidType: a handler may return nothing
type Nothing<R extends Route> = null extends ResponseOf<R> ? void : never;

/**
 * How a route is answered. Access comes first, so that wrong input never reveals what exists.
 */
export interface Handler<R extends Route, Target> {
  /** Loads what the request is about. Throws 401, 404 or 403. */
  access(
    context: Context,
    viewer: Viewer,
    params: ParamsOf<R>,
    arrival: Arrival<R>,
  ): Target | Promise<Target>;
  run(context: Context, call: Call<R, Target>): Answer<R> | Promise<Answer<R>>;
}

/** A request whose handler decides when its input is parsed. */
export interface Exchange<R extends Route> extends Arrival<R> {
  query(): QueryOf<R>;
  /** Parses the query first. */
  body(): Promise<z.output<R['body']>>;
}

/** The access of a route that anyone whom its authentication lets through may call. */
export const anyone = (): void => {};

/** Binds one route of the contract. */
export function serve<R extends Route, Target>(
  app: FastifyInstance,
  context: Context,
  route: R,
  handler: Handler<R, Target>,
): void {
  serveStepwise(app, context, route, async ({ query, body, ...arrival }) => {
    const target = await handler.access(context, arrival.viewer, arrival.params, arrival);
    return handler.run(context, { ...arrival, target, query: query(), body: await body() });
  });
}

/** Like `serve`, for a handler that checks something between access, query and body. */
export function serveStepwise<R extends Route>(
  app: FastifyInstance,
  context: Context,
  route: R,
  handler: (exchange: Exchange<R>) => Promise<Answer<R>>,
): void {
  app.route({
    method: route.method,
    url: route.path,
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    handler: async (request, reply) => {
      const viewer = await viewerOf(context, route.authentication, request);
      const params = parsePath(route, request.params) as ParamsOf<R>;
      reply.status(route.success);
      const query = () => parseNamed(route.query, request.query) as QueryOf<R>;
      const answer = await handler({
        viewer,
        params,
        query,
        body: async () => {
          query();
          return (await readBody(context.bodies, route, request)) as z.output<R['body']>;
        },
        request,
        reply,
      });
      if (reply.sent || answer === reply) return reply;
      return answer === null || answer === undefined ? reply.send() : reply.send(answer);
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
