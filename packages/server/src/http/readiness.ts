import { withTimeout } from '@bindery/concurrency';
import type { FastifyRequest } from 'fastify';
import { type Difference, MAX_SKEW } from '../cluster/cluster.ts';
import type { Context } from '../context.ts';
import { requireUsableSchema, SchemaTooNew } from '../database/migrate.ts';
import { ServiceError } from '../errors.ts';

/** Milliseconds in which each part must respond, or else counts as unreachable. */
const ANSWER_TIMEOUT = 3_000;

const DIFFERENCES: Record<Difference['part'], string> = {
  store:
    'Another server stores its files elsewhere: BINDERY_OBJECTS and AWS_ENDPOINT_URL must be the same on all servers.',
  model:
    'Another server encodes queries with a different model: BINDERY_ENCODER and the models must be the same on all servers.',
  clock: `The clock of this server differs by more than ${MAX_SKEW / 1_000} s from those of the others: synchronize it (NTP).`,
};

/** Why a process that was asked to stop is not ready: what load balancers wait for, and no failure. */
export class ProcessStopping extends ServiceError {
  constructor() {
    super('unavailable', 'This process is stopping.');
  }
}

/**
 * Resolves if the database and the store respond: to why uploads are refused, or to null. Throws `unavailable`, naming
 * what does not respond, how this server differs from others, that a newer release has changed the schema while this
 * one was running, or that this process is stopping.
 */
export async function checkReadiness({
  db,
  objects,
  log,
  servers,
  isStopping,
}: Context): Promise<string | null> {
  if (isStopping()) throw new ProcessStopping();
  await reach('database', () => requireUsableSchema(db));
  const differences = await reach('database', () => servers.differences());
  if (differences.length > 0) {
    log.warn({ differences }, 'this server differs from other running servers');
    const sentences = differences.map(({ part }) => DIFFERENCES[part]);
    throw new ServiceError('unavailable', sentences.join(' '));
  }
  return reach('object store', () => objects.check());

  async function reach<Result>(what: string, probe: () => Promise<Result>): Promise<Result> {
    try {
      return await withTimeout(probe(), ANSWER_TIMEOUT, () => {
        throw new Error(`no answer in ${ANSWER_TIMEOUT / 1_000} s`);
      });
    } catch (error) {
      log.warn({ err: error }, `the ${what} cannot be reached`);
      throw new ServiceError('unavailable', reasonOf(error) ?? `The ${what} cannot be reached.`);
    }
  }
}

/** Returns what clients are allowed to know of a failure: its message, if it was written for them. */
function reasonOf(error: unknown): string | null {
  if (error instanceof SchemaTooNew) return `The database cannot be used: ${error.message}.`;
  return error instanceof ServiceError ? error.message : null;
}

const HEALTH_CHECKS = new Set(['/healthz', '/readyz']);

/** Whether a request is a health check, which load balancers send every few seconds. */
export function isHealthCheck({ routeOptions }: FastifyRequest): boolean {
  return HEALTH_CHECKS.has(routeOptions.url ?? '');
}
