import { readFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { LIMITS, MCP_APP } from '@bindery/contract';
import { catalogTools, newMcpServer, type ViewerApp } from '@bindery/mcp';
import { createMcpHandler, type McpRequestContext } from '@modelcontextprotocol/server';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { forbidden, ServiceError } from '../../errors.ts';
import { requirePlainBody } from '../../http/body.ts';
import { requestOrigin } from '../../http/viewer.ts';
import { readVersion } from '../../version.ts';
import { serviceCatalog } from './service-catalog.ts';

const PATH = '/mcp';

/** In bytes; no call within the bounds of the tools needs this many. */
const BODY_LIMIT = 128 * 1024;

/** What the MCP server of one request is created from. */
interface McpRequest {
  viewer: Viewer;
  request: FastifyRequest;
}

/**
 * Serves the Model Context Protocol over streamable HTTP, without sessions: every request carries its token and is
 * answered by the use cases, which refuse changes to tokens that only read.
 */
export function mcpViews(app: FastifyInstance, context: Context): void {
  const version = readVersion();
  const handler = createMcpHandler((request) => serverOf(context, version, request), {
    // The tools never change, so no client needs to subscribe to changes.
    maxSubscriptions: 0,
    maxRequestBodySize: LIMITS.jsonBody,
    onerror: (error) =>
      context.log.debug({ err: error }, 'a message of the Model Context Protocol was refused'),
  });
  app.addHook('onClose', () => handler.close());
  protectedResourceViews(app, context, PATH);

  app.post(PATH, { bodyLimit: BODY_LIMIT }, async (request, reply) => {
    refuseOtherOrigins(request, context.ownUrl());
    const viewer = await authenticate(context, request, reply);
    requirePlainBody(request);
    const message = readMessage(request);
    const asked: McpRequest = { viewer, request };
    const answer = await handler.fetch(webRequest(request, reply, context.publicUrl()), {
      ...(message === undefined ? {} : { parsedBody: message }),
      authInfo: { token: '', clientId: '', scopes: [], extra: { asked } },
    });
    const body = Buffer.from(await answer.arrayBuffer());
    return reply.status(answer.status).headers(Object.fromEntries(answer.headers)).send(body);
  });
}

function serverOf(context: Context, version: string, { authInfo }: McpRequestContext) {
  const asked = authInfo?.extra?.asked as McpRequest | undefined;
  if (asked === undefined) throw new Error('a request came without its viewer');
  const { viewer, request } = asked;
  const catalog = serviceCatalog(context, viewer);
  return newMcpServer({
    version,
    tools: catalogTools(catalog),
    catalog,
    viewer: viewerApp(context),
    onDefect: (error) => request.log.error({ err: error }, 'a tool failed'),
  });
}

function viewerApp(context: Context): ViewerApp | null {
  const { dashboardFolder: folder, publicUrl } = context;
  if (folder === null) return null;
  const readDocument = () => readFile(join(folder, basename(MCP_APP)), 'utf8');
  return { origin: new URL(publicUrl()).origin, readDocument };
}

/**
 * Prevents DNS rebinding: a page whose host name was made to resolve to this service still sends its own `Origin`,
 * which a browser lets no page forge. A client that sends none is not a browser.
 */
function refuseOtherOrigins({ headers: { origin } }: FastifyRequest, ownUrl: string): void {
  if (origin === undefined || origin === new URL(ownUrl).origin) return;
  throw forbidden('Pages of other origins are not allowed to use this endpoint.');
}

/** Share tokens are part of URLs and grant nothing here. */
async function authenticate(context: Context, request: FastifyRequest, reply: FastifyReply): Promise<Viewer> {
  try {
    const { authorization } = request.headers;
    const viewer = await context.authenticate({ authorization, shareToken: undefined });
    return { ...viewer, origin: requestOrigin(request) };
  } catch (error) {
    if (error instanceof ServiceError && error.status === 401) challenge(reply, context.publicUrl(), PATH);
    throw error;
  }
}

/** Returns the parsed body; undefined if it is not JSON, which the protocol reports in its own way. */
function readMessage({ body }: FastifyRequest): unknown {
  let message: unknown;
  try {
    message = JSON.parse(Buffer.isBuffer(body) ? body.toString('utf8') : '');
  } catch {
    return undefined;
  }
  // Many calls in one request would count as one request for every rate limit.
  if (Array.isArray(message)) throw new ServiceError('bad_request', 'Send one message in a request.');
  return message;
}

/** Returns the request as the protocol's library reads it. It is aborted when the connection closes. */
function webRequest(request: FastifyRequest, reply: FastifyReply, publicUrl: string): Request {
  const ended = new AbortController();
  reply.raw.once('close', () => ended.abort());
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    for (const one of [value ?? []].flat()) headers.append(name, one);
  }
  const body = Buffer.isBuffer(request.body) ? new Uint8Array(request.body) : null;
  return new Request(publicUrl + PATH, { method: 'POST', headers, body, signal: ended.signal });
}

const WELL_KNOWN = '/.well-known/oauth-protected-resource';

/** Serves the OAuth metadata of `/mcp` as a protected resource (RFC 9728): how tokens are sent, and their scopes. */
function protectedResourceViews(app: FastifyInstance, { publicUrl }: Context, path: string): void {
  const answer = async () => ({
    resource: publicUrl() + path,
    resource_name: 'Bindery',
    bearer_methods_supported: ['header'],
    scopes_supported: ['read', 'write'],
  });
  for (const url of [WELL_KNOWN, WELL_KNOWN + path]) app.get(url, answer);
}

/** Adds the URL of that document to a 401 response. */
function challenge(reply: FastifyReply, publicUrl: string, path: string): void {
  const document = `${publicUrl}${WELL_KNOWN}${path}`;
  reply.header('www-authenticate', `Bearer error="invalid_token", resource_metadata="${document}"`);
}
