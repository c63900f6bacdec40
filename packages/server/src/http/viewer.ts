import type { Authentication } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, requireAccount, type Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { requestOrigin } from './request-origin.ts';

/** Returns who sent the request. Throws a 401 for an invalid token, and for a missing one if the route requires it. */
export async function viewerOf(
  context: Context,
  authentication: Authentication,
  request: FastifyRequest,
): Promise<Viewer> {
  const origin = requestOrigin(request);
  if (authentication === 'public') return { ...ANONYMOUS, origin };
  const { share } = request.query as { share?: unknown };
  const viewer = await context.authenticate({
    authorization: request.headers.authorization,
    // No token contains U+0000, and PostgreSQL cannot compare with it; parsing the query rejects it later.
    shareToken: typeof share === 'string' && !share.includes('\0') ? share : undefined,
  });
  if (authentication === 'required') requireAccount(viewer);
  return { ...viewer, origin };
}
