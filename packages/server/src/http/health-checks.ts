import type { FastifyRequest } from 'fastify';

const HEALTH_CHECKS = new Set(['/healthz', '/readyz']);

/** Whether a request is a health check, which load balancers send every few seconds. */
export function isHealthCheck({ routeOptions }: FastifyRequest): boolean {
  return HEALTH_CHECKS.has(routeOptions.url ?? '');
}
