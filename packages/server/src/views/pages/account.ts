import type { FastifyInstance } from 'fastify';
import { namespacesOf } from '../../namespaces/namespaces.ts';
import type { Parts } from '../../parts.ts';
import { sendPage } from './answer.ts';
import { html } from './html.ts';
import { HOME } from './return-path.ts';
import { forVisitors, personOf } from './session.ts';

export function accountPages(app: FastifyInstance, parts: Parts): void {
  app.get('/', async (_request, reply) => reply.redirect(HOME, 303));

  app.get(
    HOME,
    forVisitors(parts, async (visitor, _request, reply) => {
      const { account } = visitor;
      const namespaces = await namespacesOf(parts.db, account.id);
      return sendPage(reply, {
        title: account.display_name,
        person: personOf(visitor),
        body: html`<p>Signed in as ${account.email}.</p>
<p><a class="button" href="/device">Connect a device</a></p>
<h2>Namespaces</h2>
<ul>
${namespaces.map(({ slug, viewerRole }) => html`<li>${slug} <span class="role">${viewerRole}</span></li>`)}
</ul>`,
      });
    }),
  );
}
