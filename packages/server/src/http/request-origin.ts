import type { FastifyRequest } from 'fastify';
import type { RequestOrigin } from '../access/viewer.ts';

/** How many characters of the user agent are kept. */
const MAX_USER_AGENT = 300;

/** Where a request comes from. */
export function requestOrigin({ ip, headers }: FastifyRequest): RequestOrigin {
  return { address: ip, userAgent: headers['user-agent']?.slice(0, MAX_USER_AGENT) ?? null };
}
