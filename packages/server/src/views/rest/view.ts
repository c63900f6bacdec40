import type { FastifyRequest } from 'fastify';

/**
 * Whether a request asks for a view by name; without one it gets the view of earlier clients. Which names there are is
 * checked with the rest of the query, once the thing was found readable.
 */
export function namesView({ query }: FastifyRequest): boolean {
  return (query as { view?: unknown }).view !== undefined;
}
