import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { devicePages } from './device.ts';
import { readForms, refuseCrossOrigin } from './form.ts';
import { newAccountPages } from './new-account.ts';
import { oidcPages } from './oidc.ts';
import { handlePageErrors, staticFileViews } from './page.ts';
import { accountPages, signInPages } from './sign-in.ts';

/** The pages of the authorization server: plain HTML with forms and a cookie, kept apart from the API. */
export async function pages(app: FastifyInstance, context: Context): Promise<void> {
  await app.register(async (apart) => {
    readForms(apart);
    refuseCrossOrigin(apart, context);
    handlePageErrors(apart);
    staticFileViews(apart);
    newAccountPages(apart, context);
    signInPages(apart, context);
    oidcPages(apart, context);
    accountPages(apart, context);
    devicePages(apart, context);
  });
}
