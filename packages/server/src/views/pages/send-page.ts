import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../errors.ts';
import { asServiceError } from '../../http/errors.ts';
import { type Html, html } from './html.ts';
import { layout, type Page } from './layout.ts';

/** No scripts run on these pages. They load their own stylesheet and icon, and send forms only to this service. */
const PAGE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
  // Requests carry the origin, which tells our forms from those of other sites, but never paths, which may hold
  // secrets.
  'referrer-policy': 'strict-origin',
  'cache-control': 'no-store',
};

export function sendPage(reply: FastifyReply, page: Page): FastifyReply {
  return reply.headers(PAGE_HEADERS).type('text/html; charset=utf-8').send(layout(page));
}

/** Sends the page again with an error message. */
export function sendRefusal(
  reply: FastifyReply,
  failure: ServiceError,
  page: Page,
  sentence = failure.message,
): FastifyReply {
  setFailureStatus(reply, failure);
  return sendPage(reply, { ...page, body: html`<p class="alert" role="alert">${sentence}</p>${page.body}` });
}

/** Responds to failures that no form of these pages can correct. */
export function handlePageErrors(app: FastifyInstance): void {
  app.setErrorHandler((error, request: FastifyRequest, reply) => {
    const failure = asServiceError(error);
    if (failure.status >= 500) request.log.error({ err: error }, 'request failed');
    setFailureStatus(reply, failure);
    return sendPage(reply, { title: titleOf(failure), body: explain(failure, request.id) });
  });
}

function setFailureStatus(reply: FastifyReply, { status, details }: ServiceError): void {
  reply.status(status);
  if (status === 401) reply.header('www-authenticate', 'Bearer');
  if (typeof details.retryAfter === 'number') reply.header('retry-after', String(details.retryAfter));
}

function titleOf({ status }: ServiceError): string {
  if (status === 403) return 'Not allowed';
  if (status === 429) return 'Slow down';
  return status >= 500 ? 'Something went wrong' : 'This request is not valid';
}

function explain(failure: ServiceError, requestId: string): Html {
  return html`<p role="alert">${failure.message}</p>
<p><a href="/account">Go to your account</a></p>
<p class="hint">Request ${requestId}</p>`;
}
