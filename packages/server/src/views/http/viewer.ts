import type { Authentication } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, requireAccount, type Viewer } from '../../access/viewer.ts';
import type { Parts } from '../../parts.ts';
import { requestOrigin } from './request-origin.ts';

/** Who sends the request: 401 for a token that is not valid, and for none where the route requires one. */
export async function viewerOf(
  parts: Pick<Parts, 'authenticate'>,
  authentication: Authentication,
  request: FastifyRequest,
): Promise<Viewer> {
  const origin = requestOrigin(request);
  if (authentication === 'public') return { ...ANONYMOUS, origin };
  const { share } = request.query as { share?: unknown };
  const viewer = await parts.authenticate({
    authorization: request.headers.authorization,
    // No token holds U+0000, and PostgreSQL cannot compare with it; parsing the query refuses it later.
    shareToken: typeof share === 'string' && !share.includes('\0') ? share : undefined,
  });
  if (authentication === 'required') requireAccount(viewer);
  return { ...viewer, origin };
}
