import type { Route } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import type { Context } from '../context.ts';
import { unsupportedMediaType } from '../errors.ts';
import { requirePlainBody } from './content-coding.ts';
import { readBody } from './json-body.ts';

/** Bodies up to this many bytes are parsed on the event loop, which takes a few milliseconds at most. */
const SMALL = 1_024;

/**
 * Returns a function with which a handler reads the value of the body. It throws what is wrong with the body, so
 * handlers call it after checking permissions. Large bodies are read beforehand, by a worker.
 */
export async function prepareBody(
  { bodies }: Context,
  route: Route,
  request: FastifyRequest,
): Promise<() => unknown> {
  const { body } = request;
  if (!Buffer.isBuffer(body) || body.length === 0) return () => readBody(route.body, new Uint8Array());
  try {
    requirePlainBody(request);
    requireJson(request);
    if (body.length <= SMALL) return () => readBody(route.body, body);
    const value = await bodies.read(route, body);
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}

function requireJson({ headers }: FastifyRequest): void {
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) throw unsupportedMediaType();
}
