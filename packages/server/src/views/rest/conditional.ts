import type { FastifyReply, FastifyRequest } from 'fastify';

/** Sets the entity tag of the response. Returns true if the client already has this state: then a 304 has been sent. */
export function sendIfNotModified(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header('etag', tag).header('vary', 'authorization');
  const known = request.headers['if-none-match'];
  if (known === undefined || !matches(known, tag)) return false;
  reply.status(304).send();
  return true;
}

/** The weak comparison of RFC 9110, section 13.1.2. */
function matches(ifNoneMatch: string, tag: string): boolean {
  if (ifNoneMatch.trim() === '*') return true;
  return ifNoneMatch.split(',').some((candidate) => opaque(candidate.trim()) === opaque(tag));
}

function opaque(tag: string): string {
  return tag.replace(/^W\//, '');
}
