import fastifyUnderPressure from '@fastify/under-pressure';
import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../../configuration.ts';
import { ServiceError } from '../../errors.ts';

/** Responds 503 with `Retry-After` while the process cannot keep up. `/healthz` still responds. */
export async function rejectUnderPressure(app: FastifyInstance, { maxDelay }: Configuration): Promise<void> {
  if (maxDelay === null) return;
  await app.register(fastifyUnderPressure, {
    maxEventLoopDelay: maxDelay,
    pressureHandler: (request) => {
      if (request.routeOptions.url === '/healthz') return;
      throw new ServiceError('unavailable', 'The server is busy. Try again.', { retryAfter: 2 });
    },
  });
}
