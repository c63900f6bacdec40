import type { FastifyReply, FastifyRequest } from 'fastify';
import { preconditionFailed } from '../errors.ts';

/** An entity tag in a list of RFC 9110, section 8.8.3: it can contain commas, but no quotes. */
const ENTITY_TAG = /(?:W\/)?"[^"]*"/g;

/**
 * Sets the weak entity tag of the response and evaluates the preconditions of RFC 9110, section 13.2.2. Returns true if
 * the client already has this state: then a 304 has been sent. Throws `precondition_failed`.
 */
export function sendIfNotModified(request: FastifyRequest, reply: FastifyReply, weakTag: string): boolean {
  reply.header('etag', weakTag).header('vary', 'authorization');
  refuseIfMatch(request);
  const known = request.headers['if-none-match'];
  if (known === undefined || !isNoneMatch(known, weakTag)) return false;
  reply.status(304).send();
  return true;
}

/** Throws `precondition_failed` if `If-Match` names a tag: those of libraries are weak, and so never match. */
export function refuseIfMatch({ headers }: FastifyRequest): void {
  const expected = headers['if-match'];
  if (expected === undefined || tagsOf(expected).includes('*')) return;
  throw preconditionFailed('The entity tags of this resource are weak, so "If-Match" never matches them.');
}

/** Whether an `If-None-Match` header names this entity tag, by the weak comparison, or any. */
export function isNoneMatch(header: string, tag: string): boolean {
  return tagsOf(header).some((candidate) => candidate === '*' || opaque(candidate) === opaque(tag));
}

/** Whether an `If-Match` header names this entity tag, by the strong comparison, or any. A weak tag never matches. */
export function isMatch(header: string, tag: string): boolean {
  return tagsOf(header).some((candidate) => candidate === '*' || (candidate === tag && !isWeak(tag)));
}

function tagsOf(header: string): string[] {
  return header.trim() === '*' ? ['*'] : (header.match(ENTITY_TAG) ?? []);
}

function opaque(tag: string): string {
  return isWeak(tag) ? tag.slice(2) : tag;
}

function isWeak(tag: string): boolean {
  return tag.startsWith('W/');
}
