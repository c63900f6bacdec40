import type { FastifyInstance, FastifyReply } from 'fastify';
import { type AccountSignInMethods, disconnectOwnAccount } from '../../accounts/sign-in-methods.ts';
import { visitor as actorAt } from '../../audit/audit-log.ts';
import type { Context } from '../../context.ts';
import { ServiceError } from '../../errors.ts';
import { requestOrigin } from '../../http/viewer.ts';
import { ATTEMPT_LIMITS, createLoginLimit, refundAttempt } from '../../limits/attempts.ts';
import { callerOf } from '../../limits/callers.ts';
import { beginOidc, finishOidc } from '../../login/oidc/sign-in.ts';
import { field, HOME, returnPath } from './form.ts';
import { type Html, html, type Page, sendPage, sendRefusal } from './page.ts';
import { forRecentVisitors, personOf, readSignedIn, setCookies, type Visitor } from './session.ts';

const BEGIN = '/sign-in/oidc';
const CONNECT = '/account/connect';
const DISCONNECT = '/account/disconnect';

/** Serves the routes to an identity provider and back, by links and redirects alone. */
export function oidcPages(app: FastifyInstance, context: Context): void {
  if (!context.identityProvider) return;
  const { name } = context.identityProvider;
  const limitLogin = createLoginLimit(context);

  app.get(BEGIN, async (request, reply) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.oidcBegin);
    const next = returnPath(context, field(request, 'next'));
    const again = field(request, 'again') !== '';
    return redirectToProvider(reply, () => beginOidc(context, { next, again, connect: null }));
  });

  app.get(
    CONNECT,
    forRecentVisitors(context, async ({ account }, request, reply) => {
      await limitLogin(request, reply, ATTEMPT_LIMITS.oidcBegin);
      return redirectToProvider(reply, () =>
        beginOidc(context, { next: HOME, again: true, connect: account.id }),
      );
    }),
  );

  app.get(
    DISCONNECT,
    forRecentVisitors(context, async (visitor, _request, reply) =>
      sendPage(reply, disconnectPage(name, visitor)),
    ),
  );

  app.post(
    DISCONNECT,
    forRecentVisitors(context, async (visitor, request, reply) => {
      const { account } = visitor;
      try {
        await disconnectOwnAccount(context, account, actorAt(account.user_name, requestOrigin(request)));
      } catch (error) {
        if (!(error instanceof ServiceError)) throw error;
        return sendRefusal(reply, error, { title: 'Your account', person: personOf(visitor), body: html`` });
      }
      return reply.redirect(HOME, 303);
    }),
  );

  app.get(`${BEGIN}/callback`, async (request, reply) => {
    await limitLogin(request, reply, ATTEMPT_LIMITS.oidcReturn);
    const { visitor } = await readSignedIn(context, request);
    const { search } = new URL(request.url, 'http://here.invalid');
    return redirectToProvider(reply, async () => {
      const { next, cookies } = await finishOidc(context, {
        search,
        cookieHeader: request.headers.cookie,
        request: requestOrigin(request),
        accountId: visitor?.account.id ?? null,
      });
      // An office can sign in behind one address: only returns that fail count.
      await refundAttempt(context, ATTEMPT_LIMITS.oidcReturn, callerOf(request.ip));
      return { location: next, cookies };
    });
  });
}

async function redirectToProvider(
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

/** Returns the link to the provider on the sign-in page; null if there is no provider. */
export function providerLink({ identityProvider }: Context, next: string, again: boolean): Html | null {
  if (!identityProvider) return null;
  const query = new URLSearchParams({ next, ...(again && { again: 'yes' }) });
  return html`<p class="after"><a class="button" href="${BEGIN}?${query.toString()}">Sign in with ${identityProvider.name}</a></p>`;
}

/**
 * Returns the links with which a signed-in person connects an identity at the provider, or disconnects it if a password
 * is left to sign in with. Null if there is no provider.
 */
export function providerChoice(
  { identityProvider, configuration }: Context,
  { password, issuers }: AccountSignInMethods,
): Html | null {
  if (!identityProvider) return null;
  const { name } = identityProvider;
  if (issuers.length === 0) {
    return html`<p><a href="${CONNECT}">Connect your account of ${name}</a>, to sign in with it.</p>`;
  }
  const mayDisconnect = password && configuration.passwords;
  return html`<p>You sign in with ${name}${mayDisconnect ? html`; <a href="${DISCONNECT}">disconnect it</a>` : null}.</p>`;
}

function disconnectPage(name: string, visitor: Visitor): Page {
  return {
    title: `Disconnect ${name}?`,
    person: personOf(visitor),
    body: html`<p>From then on you sign in with your password alone. Browsers and devices that were signed in with
${name} are signed out. Personal tokens created in a browser stay valid; revoke them on your account's page in the dashboard.</p>
<form class="choice" method="post" action="${DISCONNECT}">
<input type="hidden" name="form_token" value="${visitor.formToken}">
<a class="button" href="${HOME}">Keep it</a>
<button>Disconnect</button>
</form>`,
  };
}
