import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { RequestOrigin } from '../../access/viewer.ts';
import type { NewUser } from '../../accounts/accounts.ts';
import { PASSWORD_LENGTH } from '../../accounts/password.ts';
import { invitedAddress, isSetUpToken, maySignUp, setUp, signUp } from '../../accounts/sign-up.ts';
import type { Context } from '../../context.ts';
import { forbidden, ServiceError } from '../../errors.ts';
import { requestOrigin } from '../../http/viewer.ts';
import { ATTEMPT_LIMITS, createLoginLimit } from '../../limits/attempts.ts';
import { signIn } from '../../login/sign-in.ts';
import { field, HOME } from './form.ts';
import { html, inputField, type Page, sendPage, sendRefusal } from './page.ts';
import { originOf, setCookies } from './session.ts';

/** A page for creating an account, with the secret of the link that grants access to it. */
interface NewAccountPage {
  path: string;
  title: string;
  introduction: string;
  button: string;
  /** The parameter of the link that carries its secret. */
  secret: string;
  mayEnter(secret: string): Promise<boolean>;
  refusal(): string;
  make(secret: string, user: NewUser, origin: RequestOrigin): Promise<void>;
  /** The e-mail address of whoever is expected; null if nobody in particular is. */
  expected(secret: string): Promise<string | null>;
}

/** What was wrong with a field, in the words of the form. */
const RULES: Record<string, string> = {
  userName: 'Use 1–39 lowercase letters, digits or hyphens (not at the start or end).',
  email: 'Enter an e-mail address, such as ada@example.org.',
  password: `A password has ${PASSWORD_LENGTH.min} to ${PASSWORD_LENGTH.max} characters.`,
};

export function newAccountPages(app: FastifyInstance, context: Context): void {
  const limitLogin = createLoginLimit(context);
  const pages: NewAccountPage[] = [
    {
      path: '/setup',
      title: 'Set up Bindery',
      introduction:
        'Create the first account of this service: yours, as its operator. The next page says how to sign in from a terminal.',
      button: 'Create account',
      secret: 'token',
      mayEnter: (token) => isSetUpToken(context, token),
      refusal: () => 'This set-up link is invalid or has already been used.',
      make: (token, user, origin) => setUp(context, token, user, origin),
      expected: async () => null,
    },
    {
      path: '/sign-up',
      title: 'Create an account',
      introduction: 'Your user name is also the name of your own namespace.',
      button: 'Create account',
      secret: 'invitation',
      mayEnter: (invitation) => maySignUp(context, invitation),
      refusal: () =>
        context.configuration.passwords
          ? 'Signing up here requires a valid invitation. Ask the operator for one.'
          : `This service has no passwords. Sign in with ${context.identityProvider?.name}.`,
      make: (invitation, user, origin) => signUp(context, invitation, user, origin),
      expected: (invitation) => invitedAddress(context, invitation),
    },
  ];

  for (const page of pages) {
    app.get(page.path, async (request, reply) => {
      await requireEntry(page, request);
      const email = await page.expected(field(request, page.secret));
      return sendPage(reply, show(page, request, { email: email ?? '' }));
    });

    app.post(page.path, async (request, reply) => {
      await limitLogin(request, reply, ATTEMPT_LIMITS.signUp);
      await requireEntry(page, request);
      return makeAccount(page, request, reply);
    });
  }

  async function makeAccount(
    page: NewAccountPage,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<FastifyReply> {
    const email = field(request, 'email');
    const password = field(request, 'password');
    try {
      const user = { userName: field(request, 'userName'), email, password };
      await page.make(field(request, page.secret), user, requestOrigin(request));
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      const refused = String(error.details.parameter ?? 'userName');
      const sentence = error.code === 'invalid_parameter' ? RULES[refused] : undefined;
      return sendRefusal(reply, error, show(page, request, { refused, email }), sentence);
    }
    setCookies(reply, await signIn(context, { email, password, ...originOf(request) }));
    return reply.redirect(HOME, 303);
  }
}

async function requireEntry(page: NewAccountPage, request: FastifyRequest): Promise<void> {
  if (!(await page.mayEnter(field(request, page.secret)))) throw forbidden(page.refusal());
}

function show(
  page: NewAccountPage,
  request: FastifyRequest,
  { refused, email }: { refused?: string; email: string },
): Page {
  return {
    title: page.title,
    body: html`<p>${page.introduction}</p>
<form method="post" action="${page.path}">
<input type="hidden" name="${page.secret}" value="${field(request, page.secret)}">
${inputField({
  name: 'userName',
  label: 'User name',
  value: field(request, 'userName'),
  hint: 'Lowercase letters, digits or hyphens; at most 39',
  autocomplete: 'nickname',
  first: true,
  refused,
})}
${inputField({
  name: 'email',
  label: 'E-mail address',
  type: 'email',
  value: email,
  autocomplete: 'username',
  refused,
})}
${inputField({
  name: 'password',
  label: 'Password',
  type: 'password',
  hint: `At least ${PASSWORD_LENGTH.min} characters`,
  autocomplete: 'new-password',
  refused,
})}
<button>${page.button}</button>
</form>`,
  };
}
