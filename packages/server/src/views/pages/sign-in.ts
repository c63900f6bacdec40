import type { FastifyInstance, FastifyRequest } from 'fastify';
import { signInMethodsOf } from '../../accounts/sign-in-methods.ts';
import { maySignUp } from '../../accounts/sign-up.ts';
import type { Context } from '../../context.ts';
import { forbidden, ServiceError } from '../../errors.ts';
import { signIn } from '../../login/sign-in.ts';
import { namespacesOf } from '../../namespaces/namespaces.ts';
import { field, HOME, landingPath, returnPath } from './form.ts';
import { providerChoice, providerLink } from './oidc.ts';
import { html, inputField, type Page, sendPage, sendRefusal } from './page.ts';
import { forVisitors, originOf, personOf, readVisitor, setCookies } from './session.ts';

export function signInPages(app: FastifyInstance, context: Context): void {
  app.get('/sign-in', async (request, reply) => {
    const visitor = await readVisitor(context, request, reply);
    const again = field(request, 'again') !== '';
    if (visitor && !again) return reply.redirect(returnPath(context, field(request, 'next')), 303);
    return sendPage(reply, await signInPage(context, request, visitor?.account.email));
  });

  app.post('/sign-in', async (request, reply) => {
    const email = field(request, 'email');
    const password = field(request, 'password');
    try {
      requirePasswords(context);
      setCookies(reply, await signIn(context, { email, password, ...originOf(request) }));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      return sendRefusal(reply, error, await signInPage(context, request, email));
    }
    return reply.redirect(returnPath(context, field(request, 'next')), 303);
  });

  app.post(
    '/sign-out',
    forVisitors(context, async (_visitor, request, reply) => {
      setCookies(reply, await context.webSessions.signOut(request.headers.cookie));
      return reply.redirect('/sign-in', 303);
    }),
  );
}

async function signInPage(context: Context, request: FastifyRequest, email?: string): Promise<Page> {
  const again = email !== undefined;
  const next = returnPath(context, field(request, 'next'));
  const link = providerLink(context, next, again || field(request, 'again') !== '');
  if (!context.configuration.passwords) return { title: 'Sign in', body: html`${link}` };
  const open = await maySignUp(context, '');
  return {
    title: 'Sign in',
    body: html`<form method="post" action="/sign-in">
<input type="hidden" name="next" value="${next}">
${inputField({ name: 'email', label: 'E-mail address', type: 'email', value: email ?? '', autocomplete: 'username', first: !again })}
${inputField({ name: 'password', label: 'Password', type: 'password', autocomplete: 'current-password', first: again })}
<button>Sign in</button>
</form>
${link}
${open ? html`<p class="after">New here? <a href="/sign-up">Create an account</a></p>` : null}`,
  };
}

function requirePasswords({ configuration, identityProvider }: Context): void {
  if (configuration.passwords) return;
  throw forbidden(`This service has no sign-in with passwords. Sign in with ${identityProvider?.name}.`);
}

/** The server that the command line uses by default. */
const USUAL_SERVER = 'http://127.0.0.1:7420';

function loginCommand(server: string): string {
  return server === USUAL_SERVER ? 'bindery login' : `bindery login --api-url ${server}`;
}

export function accountPages(app: FastifyInstance, context: Context): void {
  app.get('/', async (_request, reply) => reply.redirect(landingPath(context), 303));

  app.get(
    HOME,
    forVisitors(context, async (visitor, _request, reply) => {
      const { account } = visitor;
      const namespaces = await namespacesOf(context.db, { accountId: account.id, boundNamespaceId: null });
      const ways = await signInMethodsOf(context.db, account.id);
      return sendPage(reply, {
        title: account.display_name,
        person: personOf(visitor),
        body: html`<p>Signed in as ${account.email}.</p>
<p>In a terminal, now run <code>${loginCommand(context.publicUrl())}</code>; it shows a code, which you approve here.</p>
<p><a class="button" href="/device">Connect a device</a></p>
${providerChoice(context, ways)}
<h2>Namespaces</h2>
<ul>
${namespaces.map(({ slug, viewerRole }) => html`<li>${slug} <span class="role">${viewerRole}</span></li>`)}
</ul>`,
      });
    }),
  );
}
