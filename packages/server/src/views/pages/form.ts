import { createHmac, timingSafeEqual } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { forbidden } from '../../errors.ts';
import { requirePlainBody } from '../../http/body.ts';
import type { SignedIn } from '../../login/ports.ts';

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

/**
 * Rejects forms that another site sends in the person's name. Browsers report where a request comes from
 * (`Sec-Fetch-Site`, or `Origin` if the connection is not trusted enough for that). A client that sends neither is not
 * a browser, and holds no cookie that it was not given.
 */
export function refuseCrossOrigin(app: FastifyInstance, { ownUrl }: Context): void {
  app.addHook('onRequest', async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    if (!isOurOwn(request, ownUrl())) {
      throw forbidden('This form was sent from another site. Open the page here and try again.');
    }
  });
}

function isOurOwn({ headers }: FastifyRequest, ownUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined || origin === new URL(ownUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}

/** The page of the own account. */
export const HOME = '/account';

/** The URL path of the dashboard. */
export const DASHBOARD = '/app/';

/** Where people land who did not come from elsewhere. */
export function landingPath({ dashboardFolder }: Context): string {
  return dashboardFolder === null ? HOME : DASHBOARD;
}

/** Pages that people may be sent back to. Anything else, in particular other sites, leads to the landing page. */
const PAGES = /^\/(?:account|device|app)(?:[/?#]|$)/;

/** Returns the path in `next` if it is one of our pages, else the landing page. */
export function returnPath(context: Context, next: string): string {
  const base = 'http://here.invalid';
  if (!PAGES.test(next) || !URL.canParse(next, base)) return landingPath(context);
  const url = new URL(next, base);
  return url.origin === base && PAGES.test(url.pathname) ? url.pathname + url.search : landingPath(context);
}

/** Returns the path of the sign-in page that leads back to `path`; `again` if a recent sign-in is needed for it. */
export function signInPath(context: Context, path: string, again = false): string {
  const query = new URLSearchParams({
    ...(again && { again: 'yes' }),
    ...(path !== landingPath(context) && { next: path }),
  });
  return query.size > 0 ? `/sign-in?${query}` : '/sign-in';
}
