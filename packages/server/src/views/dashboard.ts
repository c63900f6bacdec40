import { createReadStream, readdirSync, statSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { MCP_APP } from '@bindery/contract';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { loadLibrary } from '../access/libraries.ts';
import { describeUser } from '../accounts/accounts.ts';
import type { Configuration } from '../configuration/configuration.ts';
import type { Context } from '../context.ts';
import { ServiceError } from '../errors.ts';
import { issueBrowserToken } from '../login/service-tokens.ts';
import { EMBED, oembedView, pageAddress, previewElements, previewOf } from './link-previews.ts';
import { DASHBOARD, formToken, refuseCrossOrigin, signInPath } from './pages/form.ts';
import { readSignedIn, setCookies } from './pages/session.ts';
import { colorSchemeFor } from './theme.ts';

/** Documents are never cached, so that a page always refers to files that exist. */
const DOCUMENT = { 'cache-control': 'no-store' };

/** Where the document says which theme it is shown in. */
const COLOR_SCHEME = /(name="color-scheme" content=")[^"]*/;

/** The name of an asset contains the hash of its content. */
const ASSET = { 'cache-control': 'public, max-age=31536000, immutable' };

/** Serves the dashboard: two documents with their scripts, all static. Pages are routed in the browser. */
export async function dashboardViews(app: FastifyInstance, context: Context, folder: string): Promise<void> {
  const files = new BuiltFiles(folder);
  const document = await readFile(join(folder, 'index.html'), 'utf8');
  const { policy }: { policy: string } = JSON.parse(
    await readFile(join(folder, 'viewer-policy.json'), 'utf8'),
  );

  await sessionView(app, context);

  app.get('/app', async (_request, reply) => reply.redirect(DASHBOARD, 303));

  // Where people look for it; the sign-in page belongs to the service.
  app.get(`${DASHBOARD}sign-in`, async (_request, reply) =>
    reply.redirect(signInPath(context, DASHBOARD), 303),
  );

  const inTheme = (request: FastifyRequest) => document.replace(COLOR_SCHEME, `$1${colorSchemeFor(request)}`);

  app.get(`${DASHBOARD}*`, async (request, reply) => {
    reply.headers({ ...DOCUMENT, 'content-security-policy': appPolicy(context) });
    const preview = await previewOf(context, pageOf(context, request));
    const elements = preview === null ? '' : previewElements(context, preview).text;
    const page = inTheme(request).replace('<title>', () => `${elements}<title>`);
    return reply.type('text/html; charset=utf-8').send(page);
  });

  oembedView(app, context);

  app.get(`${EMBED}*`, async (request, reply) => {
    const framers = await framersOf(context, request);
    reply.headers({ ...DOCUMENT, 'content-security-policy': appPolicy(context, framers) });
    if (framers !== "'none'") {
      reply.removeHeader('x-frame-options');
      reply.header('cross-origin-resource-policy', 'cross-origin');
    }
    return reply.type('text/html; charset=utf-8').send(inTheme(request));
  });

  app.get(`${DASHBOARD}viewer.html`, async (request, reply) => {
    reply.headers({
      ...DOCUMENT,
      'content-security-policy': viewerPolicy(policy, ancestorsOf(context)),
    });
    reply.removeHeader('x-frame-options');
    return files.send(request, reply, 'viewer.html');
  });

  // For the command line, which passes it on; in a browser it is nothing.
  app.get(MCP_APP, async (request, reply) => {
    reply.headers({ ...DOCUMENT, 'content-security-policy': "sandbox; default-src 'none'" });
    return files.send(request, reply, basename(MCP_APP));
  });

  app.get<{ Params: { name: string } }>(`${DASHBOARD}assets/:name`, async (request, reply) => {
    const path = `assets/${request.params.name}`;
    if (!files.has(path)) throw new ServiceError('not_found', 'There is no such file.');
    reply.headers({ ...ASSET, 'content-security-policy': workerPolicy(context) });
    // The document for hosts of agents has an origin of theirs. There is nothing in these files that is not public.
    reply.header('access-control-allow-origin', '*');
    return files.send(request, reply, path);
  });
}

const TYPES: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.wasm': 'application/wasm',
};

/** Compressed copies that the build stores next to a file, the smallest first. */
const ENCODINGS = [
  { name: 'br', extension: '.br' },
  { name: 'gzip', extension: '.gz' },
];

/** The files of a built dashboard by their path below `/app`. Only files present at startup are served. */
class BuiltFiles {
  readonly #folder: string;
  readonly #sizes: ReadonlyMap<string, number>;

  constructor(folder: string) {
    this.#folder = folder;
    this.#sizes = new Map(
      readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => join(entry.parentPath, entry.name))
        .map((path) => [path.slice(folder.length + 1).replaceAll('\\', '/'), statSync(path).size]),
    );
  }

  has(path: string): boolean {
    return extname(path) in TYPES && this.#sizes.has(path);
  }

  /** Sends the file, in the smallest encoding that the client accepts. */
  send(request: FastifyRequest, reply: FastifyReply, path: string): FastifyReply {
    const accepted = request.headers['accept-encoding'] ?? '';
    const encoding = ENCODINGS.find(
      ({ name, extension }) =>
        new RegExp(`\\b${name}\\b`).test(accepted) && this.#sizes.has(path + extension),
    );
    const stored = path + (encoding?.extension ?? '');
    reply.header('vary', 'accept-encoding');
    if (encoding) reply.header('content-encoding', encoding.name);
    return reply
      .type(TYPES[extname(path)] ?? 'application/octet-stream')
      .header('content-length', this.#sizes.get(stored) ?? 0)
      .send(createReadStream(join(this.#folder, stored)));
  }
}

/**
 * Returns a short-lived token for the browser's session and the token of the dashboard's sign-out form. If nobody is
 * signed in, `session` is null; that is no error, since anyone may use the dashboard. Only our own pages may call this.
 */
async function sessionView(app: FastifyInstance, context: Context): Promise<void> {
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

function pageOf(context: Context, { url }: FastifyRequest): URL {
  return new URL(url.replace(/^\/*/, '/'), context.publicUrl());
}

/**
 * Returns which pages may frame the page that shows an asset: by the setting, and by who can read the library. Whoever
 * is signed in does not count, so that no other site shows them what only they can read. Hidden and missing are alike.
 */
async function framersOf(context: Context, request: FastifyRequest): Promise<string> {
  const { embedOrigins } = context.configuration;
  const page = pageOf(context, request);
  const asked = pageAddress(page);
  if (asked === null || embedOrigins === 'off') return "'none'";
  try {
    const shareToken = page.searchParams.get('share')?.replaceAll('\0', '');
    const viewer = await context.authenticate({ authorization: undefined, shareToken });
    const { row } = await loadLibrary(context.db, viewer, asked.address);
    return row.visibility === 'public' || embedOrigins !== 'public' ? originsIn(embedOrigins) : "'none'";
  } catch (error) {
    if (error instanceof ServiceError) return "'none'";
    throw error;
  }
}

/** The pages around the frame that shows an asset: ours, and those that may frame ours. */
function ancestorsOf({ configuration: { embedOrigins } }: Context): string {
  return embedOrigins === 'off' ? "'self'" : `'self' ${originsIn(embedOrigins)}`;
}

function originsIn(embedOrigins: Exclude<Configuration['embedOrigins'], 'off'>): string {
  return typeof embedOrigins === 'string' ? '*' : embedOrigins.join(' ');
}

type PolicyParts = Pick<Context, 'publicUrl' | 'storageOrigin'>;

/** The origins of presigned URLs: there may be a proxy in front of the service, and a bucket has its own origin. */
function originsOf({ publicUrl, storageOrigin }: PolicyParts): string {
  const { origin } = new URL(publicUrl());
  return storageOrigin === null ? origin : `${origin} ${storageOrigin}`;
}

/**
 * The app's policy. Only its own scripts run, and no text ever becomes script (Trusted Types); the only Trusted Types
 * policy starts its own worker. Files of assets come from presigned URLs.
 */
export function appPolicy(context: PolicyParts, framers = "'none'"): string {
  const origins = originsOf(context);
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${origins} blob: data:`,
    `connect-src 'self' ${origins}`,
    "worker-src 'self'",
    "frame-src 'self'",
    "form-action 'self'",
    "base-uri 'none'",
    `frame-ancestors ${framers}`,
    "require-trusted-types-for 'script'",
    'trusted-types bindery-worker',
  ].join('; ');
}

/** The policy of the app's workers, set by the response of their script. They reach the service and presigned URLs. */
export function workerPolicy(context: PolicyParts): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    `connect-src 'self' ${originsOf(context)}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ');
}

/**
 * The policy of the frame that shows an asset, with what its build states. The sandbox gives it an opaque origin,
 * without cookies.
 */
export function viewerPolicy(built: string, ancestors = "'self'"): string {
  return `sandbox allow-scripts; ${built}; frame-ancestors ${ancestors}`;
}
