import type { FastifyInstance } from 'fastify';
import { signInMethodsOf } from '../../accounts/external-identities.ts';
import type { Context } from '../../context.ts';
import { namespacesOf } from '../../namespaces/namespaces.ts';
import { DASHBOARD } from '../dashboard/index.ts';
import { html } from './html.ts';
import { providerChoice } from './oidc.ts';
import { HOME } from './return-path.ts';
import { sendPage } from './send-page.ts';
import { forVisitors, personOf } from './session.ts';

/** The server that the command line uses by default. */
const USUAL_SERVER = 'http://127.0.0.1:7420';

function loginCommand(server: string): string {
  return server === USUAL_SERVER ? 'bindery login' : `bindery login --api-url ${server}`;
}

export function accountPages(app: FastifyInstance, context: Context): void {
  app.get('/', async (_request, reply) =>
    reply.redirect(context.dashboardFolder === null ? HOME : DASHBOARD, 303),
  );

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
