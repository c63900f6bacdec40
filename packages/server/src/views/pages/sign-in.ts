import type { FastifyInstance, FastifyRequest } from 'fastify';
import { maySignUp } from '../../accounts/invitations.ts';
import type { Context } from '../../context.ts';
import { forbidden, ServiceError } from '../../errors.ts';
import { signIn } from '../../login/sign-in.ts';
import { inputField } from './fields.ts';
import { field } from './form.ts';
import { html } from './html.ts';
import type { Page } from './layout.ts';
import { providerLink } from './oidc.ts';
import { returnPath } from './return-path.ts';
import { sendPage, sendRefusal } from './send-page.ts';
import { forVisitors, originOf, readVisitor, setCookies } from './session.ts';

export function signInPages(app: FastifyInstance, context: Context): void {
  app.get('/sign-in', async (request, reply) => {
    const visitor = await readVisitor(context, request, reply);
    const again = field(request, 'again') !== '';
    if (visitor && !again) return reply.redirect(returnPath(field(request, 'next')), 303);
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
    return reply.redirect(returnPath(field(request, 'next')), 303);
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
  const next = returnPath(field(request, 'next'));
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
