import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { forbidden } from '../../errors.ts';
import { requirePlainBody } from '../../http/content-coding.ts';
import type { SignedIn } from '../../login/web-sessions.ts';

const FORM_BYTES = 16 * 1024;

/** Makes pages accept what HTML forms send, and nothing else. */
export function readForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    async (request: FastifyRequest, body: string) => {
      requirePlainBody(request);
      return new URLSearchParams(body);
    },
  );
}

/** Returns a field of the form, or of the query if no form was sent; empty if it is absent. */
export function field({ body, query }: FastifyRequest, name: string): string {
  const sent = body instanceof URLSearchParams ? body.get(name) : (query as Record<string, unknown>)[name];
  return typeof sent === 'string' ? sent : '';
}

/** The token that every form of a signed-in person carries: only a page shown to this session can know it. */
export function formToken({ session }: SignedIn): string {
  return createHmac('sha256', session).update('form').digest('base64url');
}

export function requireFormToken(request: FastifyRequest, signedIn: SignedIn): void {
  const given = Buffer.from(field(request, 'form_token'));
  const expected = Buffer.from(formToken(signedIn));
  if (given.length === expected.length && timingSafeEqual(given, expected)) return;
  throw forbidden('This form has expired. Reload the page and try again.');
}
