import type { Route } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import { unsupportedMediaType } from '../../errors.ts';
import { readBody } from '../../input/body.ts';
import type { Parts } from '../../parts.ts';

/** Bodies up to this many bytes are parsed on the event loop, which takes a few milliseconds at most. */
const SMALL = 1_024;

/**
 * What a handler calls for the value of the body, after it has asked who may do what; only then is it told what is wrong
 * with it. Large bodies are read before, by a worker.
 */
export async function takeBody(
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
