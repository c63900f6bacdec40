import type { FastifyInstance } from 'fastify';
import { describeUser } from '../../accounts/account.ts';
import type { Context } from '../../context.ts';
import { issueBrowserToken } from '../../login/browser-tokens.ts';
import { refuseCrossOrigin } from '../pages/cross-origin.ts';
import { formToken } from '../pages/form.ts';
import { readSignedIn, setCookies } from '../pages/session.ts';

/**
 * Returns a short-lived token for the browser's session and the token of the dashboard's sign-out form. If nobody is
 * signed in, `session` is null; that is no error, since anyone may use the dashboard. Only our own pages may call this.
 */
export async function sessionView(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    refuseCrossOrigin(apart, context);
    apart.post('/app/session', async (request, reply) => {
      const { visitor, cookies } = await readSignedIn(context, request);
      setCookies(reply, cookies);
      if (visitor === null) return { session: null };
      const { account, signedIn } = visitor;
      const { token, expiresAt } = await issueBrowserToken(context, account, signedIn);
      return {
        session: {
          token,
          expiresIn: Math.floor((expiresAt - context.clock()) / 1_000),
          user: describeUser(account),
          isOperator: account.operator === 1,
          formToken: formToken(signedIn),
        },
      };
    });
  });
}
