import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ServiceError } from '../../errors.ts';
import { asServiceError } from '../../http/errors.ts';
import { escapeMarkup } from '../../markup.ts';
import { colorSchemeFor } from '../theme.ts';

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
  return reply
    .headers(PAGE_HEADERS)
    .type('text/html; charset=utf-8')
    .send(layout(page, colorSchemeFor(reply.request)));
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

export interface Page {
  /** Title of the tab, and the page's only `h1`. */
  title: string;
  body: Html;
  /** Who is signed in, with the token of the sign-out form. */
  person?: { userName: string; formToken: string } | undefined;
}

/** The whole document around a page. */
function layout({ title, body, person }: Page, colorScheme: string): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${colorScheme}">
<meta name="robots" content="noindex">
<title>${title} · Bindery</title>
<link rel="icon" href="${ICON.path}" type="image/svg+xml">
<link rel="stylesheet" href="${STYLESHEET.path}">
</head>
<body>
<a class="skip" href="#main">Skip to the content</a>
<header>
<a class="brand" href="/account"><img src="${ICON.path}" alt="" width="28" height="28">Bindery</a>
${person ? signOutForm(person) : null}
</header>
<main id="main">
<h1>${title}</h1>
${body}
</main>
</body>
</html>
`.text;
}

function signOutForm({ userName, formToken }: { userName: string; formToken: string }): Html {
  return html`<form class="person" method="post" action="/sign-out">
<input type="hidden" name="form_token" value="${formToken}">
<span class="person-name">${userName}</span>
<button class="quiet">Sign out</button>
</form>`;
}

interface Field {
  name: string;
  label: string;
  type?: 'text' | 'email' | 'password';
  value?: string;
  hint?: string;
  autocomplete: string;
  /** The name of the field that was refused, if any. */
  refused?: string | undefined;
  /** Whether this field has the focus when nothing was refused. */
  first?: boolean;
}

/** A labelled input; the one that was refused is marked and has the focus. */
export function inputField({
  name,
  label,
  type = 'text',
  value = '',
  hint,
  autocomplete,
  ...state
}: Field): Html {
  const invalid = state.refused === name;
  const focus = invalid || (state.first && state.refused === undefined);
  return html`<div class="field">
<label for="${name}">${label}</label>
<input id="${name}" name="${name}" type="${type}" value="${value}" autocomplete="${autocomplete}" required
${type === 'password' ? null : html`autocapitalize="none" spellcheck="false"`}
${hint ? html`aria-describedby="${name}-hint"` : null}
${invalid ? html`aria-invalid="true"` : null} ${focus ? html`autofocus` : null}>
${hint ? html`<p class="hint" id="${name}-hint">${hint}</p>` : null}
</div>`;
}

/** HTML that is safe to send: it was written here, or escaped. */
export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

type Insertable = Html | string | number | null | false | readonly Insertable[];

/** A template of HTML. Inserted values are escaped, except for other templates; null and false insert nothing. */
export function html(parts: TemplateStringsArray, ...inserted: readonly Insertable[]): Html {
  return new Html(parts.reduce((text, part, at) => text + render(inserted[at - 1] ?? null) + part));
}

function render(value: Insertable): string {
  if (value === null || value === false) return '';
  if (value instanceof Html) return value.text;
  if (typeof value === 'object') return value.map(render).join('');
  return escapeMarkup(String(value));
}

interface StaticFile {
  /** Contains the hash of the content, so that the file can be cached permanently. */
  path: string;
  type: string;
  content: Buffer;
}

const STYLESHEET = staticFile('style.css', 'text/css; charset=utf-8');
const ICON = staticFile('icon.svg', 'image/svg+xml');

export function staticFileViews(app: FastifyInstance): void {
  for (const { path, type, content } of [STYLESHEET, ICON]) {
    app.get(path, async (_request, reply) =>
      reply.type(type).header('cache-control', 'public, max-age=31536000, immutable').send(content),
    );
  }
}

function staticFile(name: string, type: string): StaticFile {
  const content = readFileSync(new URL(name, import.meta.url));
  const version = createHash('sha256').update(content).digest('hex').slice(0, 16);
  return { path: `/pages/${version}/${name}`, type, content };
}
