import type { FastifyReply, FastifyRequest } from 'fastify';
import { preconditionFailed } from '../errors.ts';
import { isMatch, isNoneMatch } from './entity-tag.ts';

/**
 * Sets the entity tag of the response and evaluates the preconditions of RFC 9110, section 13.2.2. Returns true if the
 * client already has this state: then a 304 has been sent. Throws `precondition_failed`.
 */
export function sendIfNotModified(request: FastifyRequest, reply: FastifyReply, tag: string): boolean {
  reply.header('etag', tag).header('vary', 'authorization');
  requireMatch(request, tag);
  const known = request.headers['if-none-match'];
  if (known === undefined || !isNoneMatch(known, tag)) return false;
  reply.status(304).send();
  return true;
}

/** Reads the body of a change, which must not happen if the library is not in the state that `If-Match` names. */
export function readIfMatched<Body>(request: FastifyRequest, readBody: () => Body): () => Body {
  return () => {
    const body = readBody();
    requireMatch(request, ANY_WEAK_TAG);
    return body;
  };
}

/** All tags of libraries are weak, and so never match. */
const ANY_WEAK_TAG = 'W/""';

function requireMatch({ headers }: FastifyRequest, tag: string): void {
  const expected = headers['if-match'];
  if (expected === undefined || isMatch(expected, tag)) return;
  throw preconditionFailed('The entity tags of this resource are weak, so "If-Match" never matches them.');
}
