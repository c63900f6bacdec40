import type { FastifyRequest } from 'fastify';

/**
 * Whether a request names a view; without one it gets the view of earlier clients. The name is validated with the rest
 * of the query, after access was checked.
 */
export function hasViewParameter({ query }: FastifyRequest): boolean {
  return (query as { view?: unknown }).view !== undefined;
}
