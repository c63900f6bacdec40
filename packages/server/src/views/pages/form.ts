import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { forbidden } from '../../errors.ts';
import type { SignedIn } from '../../login/web-sessions.ts';

const FORM_BYTES = 16 * 1024;

/** Pages take what HTML forms send, and nothing else. */
export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    async (_request: unknown, body: string) => new URLSearchParams(body),
  );
}

/** A field of the form, or of the address where none was sent; empty where it is absent. */
export function field({ body, query }: FastifyRequest, name: string): string {
  const sent = body instanceof URLSearchParams ? body.get(name) : (query as Record<string, unknown>)[name];
  return typeof sent === 'string' ? sent : '';
}

/** What every form of a signed-in person carries: only a page that this session was shown can know it. */
export function formToken({ session }: SignedIn): string {
  return createHmac('sha256', session).update('form').digest('base64url');
}

export function requireFormToken(request: FastifyRequest, signedIn: SignedIn): void {
  const given = Buffer.from(field(request, 'form_token'));
  const expected = Buffer.from(formToken(signedIn));
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw forbidden('This form has expired. Reload the page and try again.');
}
