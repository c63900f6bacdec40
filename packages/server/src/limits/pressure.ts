import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { FastifyInstance } from 'fastify';
import type { Configuration } from '../configuration/configuration.ts';
import { ServiceError } from '../errors.ts';

/** Milliseconds between two measurements, and between the samples of one. */
const INTERVAL = 1_000;
const RESOLUTION = 10;

/** Responds 503 with `Retry-After` while the process cannot keep up. `/healthz` still responds. */
export function rejectUnderPressure(app: FastifyInstance, { maxDelay }: Configuration): void {
  if (maxDelay === null) return;
  const samples = monitorEventLoopDelay({ resolution: RESOLUTION });
  samples.enable();
  let delay = 0;
  const measuring = setInterval(() => {
    if (samples.count > 0) delay = samples.mean / 1e6 - RESOLUTION;
    samples.reset();
  }, INTERVAL);
  measuring.unref();
  app.addHook('onClose', async () => {
    clearInterval(measuring);
    samples.disable();
  });
  app.addHook('onRequest', async ({ routeOptions }) => {
    if (delay <= maxDelay || routeOptions.url === '/healthz') return;
    throw new ServiceError('unavailable', 'The server is busy. Try again.', { retryAfter: 2 });
  });
}
