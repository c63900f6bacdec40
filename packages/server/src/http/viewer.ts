import { type Authentication, routes } from '@bindery/contract';
import type { FastifyRequest } from 'fastify';
import { ANONYMOUS, type RequestOrigin, requireAccount, type Viewer } from '../access/viewer.ts';
import type { Context } from '../context.ts';
import { invalidToken } from '../errors.ts';

/**
 * Returns who sent the request, by its `Authorization` if it is not given otherwise. Throws a 401 for an invalid token,
 * and for a missing one if the route requires it.
 */
export async function viewerOf(
  context: Context,
  authentication: Authentication,
  request: FastifyRequest,
  authorization = request.headers.authorization,
): Promise<Viewer> {
  const origin = requestOrigin(request);
  if (authentication === 'public') return { ...ANONYMOUS, origin };
  const { share } = request.query as { share?: unknown };
  const viewer = await context.authenticate({
    authorization,
    // No token contains U+0000, and PostgreSQL cannot compare with it; parsing the query rejects it later.
    shareToken: typeof share === 'string' && !share.includes('\0') ? share : undefined,
  });
  if (!mayPass(viewer, request)) throw invalidToken();
  if (authentication === 'required') requireAccount(viewer);
  return { ...viewer, origin };
}

/** What changes with the pass of an import: the library is read, and its next revision published. */
const OF_IMPORTS: ReadonlySet<string> = new Set(
  [routes.libraries.presignFiles, routes.libraries.registerLibrary, ...Object.values(routes.uploads)].map(
    ({ method, path }) => `${method} ${path}`,
  ),
);

/** Whether a token is valid for this request: the pass of an import is for its own library alone. */
function mayPass(viewer: Viewer, { method, params, routeOptions }: FastifyRequest): boolean {
  if (viewer.kind !== 'account' || viewer.token.kind !== 'personal') return true;
  const { passFor } = viewer.token;
  if (passFor === undefined) return true;
  const { namespace, name } = params as Partial<Record<string, string>>;
  const isRead = method === 'GET' || method === 'HEAD' || OF_IMPORTS.has(`${method} ${routeOptions.url}`);
  return isRead && namespace === passFor.namespace && name === passFor.name;
}

/** How many characters of the user agent are kept. */
const MAX_USER_AGENT = 300;

/** Where a request comes from. */
export function requestOrigin({ ip, headers }: FastifyRequest): RequestOrigin {
  return { address: ip, userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null };
}
