import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Context } from '../../context.ts';
import { forbidden } from '../../errors.ts';

/**
 * Rejects forms that another site sends in the person's name. Browsers report where a request comes from
 * (`Sec-Fetch-Site`, or `Origin` if the connection is not trusted enough for that). A client that sends neither is not
 * a browser, and holds no cookie that it was not given.
 */
export function refuseCrossOrigin(app: FastifyInstance, { ownUrl }: Context): void {
  app.addHook('onRequest', async (request) => {
    if (request.method === 'GET' || request.method === 'HEAD') return;
    if (!isOurOwn(request, ownUrl())) {
      throw forbidden('This form was sent from another site. Open the page here and try again.');
    }
  });
}

function isOurOwn({ headers }: FastifyRequest, ownUrl: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin' || site === 'none';
  const { origin, host } = headers;
  if (origin === undefined || origin === new URL(ownUrl).origin) return true;
  return URL.canParse(origin) && new URL(origin).host === host;
}
