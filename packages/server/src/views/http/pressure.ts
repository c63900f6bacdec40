import fastifyUnderPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import { ServiceError } from '../../errors.ts';

/** Mean delay of the event loop over a second, in milliseconds, from which new requests are turned away. */
const LONGEST_DELAY = 1_000;

/** Says 503 with `Retry-After` while the process cannot keep up; `/healthz` goes on answering. */
export async function turnAwayUnderPressure(app: FastifyInstance): Promise<void> {
  await app.register(fastifyUnderPressure, {
    maxEventLoopDelay: LONGEST_DELAY,
    pressureHandler: (request) => {
      if (request.routeOptions.url === '/healthz') return;
      throw new ServiceError('unavailable', 'The server is busy. Try again.', { retryAfter: 2 });
    },
  });
}
