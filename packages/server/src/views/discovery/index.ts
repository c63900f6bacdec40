import type { FastifyInstance } from 'fastify';
import type { Context } from '../../context.ts';
import { apiCatalog } from './api-catalog.ts';
import { llmsText } from './llms-text.ts';

const LINKSET = 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"';

/** Serves what lets machines discover the service: `/llms.txt` and the API catalog of RFC 9727. */
export function discoveryViews(app: FastifyInstance, { publicUrl }: Context): void {
  app.get('/llms.txt', (_request, reply) =>
    reply
      .type('text/plain; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(llmsText(publicUrl())),
  );
  app.get('/.well-known/api-catalog', (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=300')
      .type(LINKSET)
      .send(JSON.stringify(apiCatalog(publicUrl()))),
  );
}
