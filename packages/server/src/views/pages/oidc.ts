import type { FastifyInstance, FastifyReply } from 'fastify';
import { ServiceError } from '../../errors.ts';
import { ATTEMPT_LIMITS } from '../../login/attempts.ts';
import { beginOidc, finishOidc } from '../../login/oidc/sign-in.ts';
import type { Parts } from '../../parts.ts';
import { createLoginLimit } from '../http/login-limit.ts';
import { requestOrigin } from '../http/request-origin.ts';
import { sendRefusal } from './answer.ts';
import { field } from './form.ts';
import { type Html, html } from './html.ts';
import { HOME, returnPath } from './return-path.ts';
import { forRecentVisitors, readSignedIn, setCookies } from './session.ts';

const BEGIN = '/sign-in/oidc';
const CONNECT = '/account/connect';

/** The way to an identity provider and back, by links and redirects alone. */
export function oidcPages(app: FastifyInstance, parts: Parts): void {
  if (!parts.identityProvider) return;
  const limitLogin = createLoginLimit(parts);

  app.get(BEGIN, async (request, reply) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.oidc);
    const next = returnPath(field(request, 'next'));
    const again = field(request, 'again') !== '';
    return sendAway(reply, () => beginOidc(parts, { next, again, connect: null }));
  });

  app.get(
    CONNECT,
    forRecentVisitors(parts, async ({ account }, request, reply) => {
      await limitLogin(request, reply, ATTEMPT_LIMITS.oidc);
      return sendAway(reply, () => beginOidc(parts, { next: HOME, again: true, connect: account.id }));
    }),
  );

  app.get(`${BEGIN}/callback`, async (request, reply) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.oidc);
    const { visitor } = await readSignedIn(parts, request);
    const { search } = new URL(request.url, 'http://here.invalid');
    return sendAway(reply, async () => {
      const { next, cookies } = await finishOidc(parts, {
        search,
        cookieHeader: request.headers.cookie,
        request: requestOrigin(request),
        accountId: visitor?.account.id ?? null,
      });
      return { location: next, cookies };
    });
  });
}

async function sendAway(
  reply: FastifyReply,
  work: () => Promise<{ location: string; cookies: string[] }>,
): Promise<FastifyReply> {
  try {
    const { location, cookies } = await work();
    setCookies(reply, cookies);
    return reply.redirect(location, 303);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    return sendRefusal(reply, error, {
      title: 'Sign in',
      body: html`<p><a class="button" href="/sign-in">Back to signing in</a></p>`,
    });
  }
}

/** The link to the provider on the sign-in page; null without one. */
export function providerLink({ identityProvider }: Parts, next: string, again: boolean): Html | null {
  if (!identityProvider) return null;
  const query = new URLSearchParams({ next, ...(again && { again: 'yes' }) });
  return html`<p class="after"><a class="button" href="${BEGIN}?${query.toString()}">Sign in with ${identityProvider.name}</a></p>`;
}

/** The link by which a signed-in person connects who they are at the provider. */
export function connectLink({ identityProvider }: Parts): Html | null {
  if (!identityProvider) return null;
  return html`<p><a href="${CONNECT}">Connect your account of ${identityProvider.name}</a>, to sign in with it.</p>`;
}
