import type { Route } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import { unsupportedMediaType } from '../../errors.ts';
import { readBody } from '../../input/body.ts';
import type { Parts } from '../../parts.ts';

/** Bodies up to this many bytes are parsed on the event loop, which takes a few milliseconds at most. */
const SMALL = 1_024;

/**
 * Returns a function with which a handler reads the value of the body. It throws what is wrong with the body, so
 * handlers call it after checking permissions. Large bodies are read beforehand, by a worker.
 */
export async function prepareBody(
  { bodies }: Pick<Parts, 'bodies'>,
  route: Route,
  { body, headers }: FastifyRequest,
): Promise<() => unknown> {
  if (!Buffer.isBuffer(body) || body.length === 0) return () => readBody(route.body, new Uint8Array());
  if (!/^application\/json *(;|$)/i.test(headers['content-type'] ?? '')) {
    return () => {
      throw unsupportedMediaType();
    };
  }
  if (body.length <= SMALL) return () => readBody(route.body, body);
  try {
    const value = await bodies.read(route, body);
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
