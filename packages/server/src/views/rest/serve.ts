import type { Route } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Viewer } from '../../access/viewer.ts';
import { invalidParameter, ServiceError } from '../../errors.ts';
import type { Parts } from '../../parts.ts';
import { viewerOf } from '../http/viewer.ts';

/**
 * What a handler works with. `query` and `body` are functions, so that a handler can first ask whether the thing may
 * be read and written, and only then whether the input is right.
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
  parts: Pick<Parts, 'authenticate'>,
  route: R,
  handler: (exchange: Exchange<R>) => Promise<z.output<R['response']> | FastifyReply>,
): void {
  app.route({
    method: route.method,
    url: route.path,
    ...(route.bodyLimit === undefined ? {} : { bodyLimit: route.bodyLimit }),
    handler: async (request, reply) => {
      const viewer = await viewerOf(parts, route.authentication, request);
      const params = parse(route.params, request.params, '');
      reply.status(route.success);
      const result = await handler({
        viewer,
        params: params as z.output<R['params']>,
        query: () => parse(route.query, request.query, '') as z.output<R['query']>,
        body: () => parse(route.body, readJson(request), '/') as z.output<R['body']>,
        request,
        reply,
      });
      if (reply.sent || result === reply) return reply;
      return result === null ? reply.send() : reply.send(result);
    },
  });
}

/** Bodies arrive as bytes and are read only when a handler asks for them. */
function readJson(request: FastifyRequest): unknown {
  const raw = request.body;
  if (!Buffer.isBuffer(raw) || raw.length === 0) return null;
  try {
    return JSON.parse(raw.toString('utf8'));
  } catch {
    throw new ServiceError('bad_request', 'The body is not valid JSON.');
  }
}

/** `prefix` is empty for named parameters and "/" for JSON pointers into a body. */
function parse(schema: z.ZodType, value: unknown, prefix: '' | '/'): unknown {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  throw invalidInput(result.error, value, prefix);
}

function invalidInput(error: z.ZodError, value: unknown, prefix: '' | '/'): ServiceError {
  const [issue] = error.issues;
  if (!issue) return new ServiceError('bad_request', 'The request is not valid.');
  const path = issue.code === 'unrecognized_keys' ? [...issue.path, issue.keys[0] ?? ''] : issue.path;
  const name =
    prefix === '/'
      ? path.map((step) => `/${escapePointer(String(step))}`).join('')
      : path.map(String).join('.');
  const rule = issue.code === 'unrecognized_keys' ? 'there is no such parameter' : issue.message;
  const received = describe(
    path.reduce<unknown>((at, step) => (at as Record<PropertyKey, unknown>)?.[step], value),
  );
  return invalidParameter(name, `${name || 'body'}: ${rule} (received ${received}).`);
}

function escapePointer(step: string): string {
  return step.replaceAll('~', '~0').replaceAll('/', '~1');
}

/** What was received, short enough for a message. */
function describe(value: unknown): string {
  if (value === undefined) return 'nothing';
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 80)}…` : text;
}
