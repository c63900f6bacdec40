import { randomUUID } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { LIMITS } from '@bindery/contract';
import fastify, { type FastifyInstance, LogController } from 'fastify';
import type { Context } from '../context.ts';
import { logRequests, logTransfer } from '../http/access-log.ts';
import {
  collectMethods,
  handleErrors,
  handleFrameworkError,
  refuseExcess,
  refuseSeveralHosts,
  rejectUnparsable,
} from '../http/errors.ts';
import { allowTokenClients, compressResponses, setCommonHeaders } from '../http/headers.ts';
import { trackConnections } from '../http/listen.ts';
import { closeSlowConnections, rejectUnderPressure, watchConnections } from '../limits/connections.ts';
import { limitRequests } from '../limits/rate-limit.ts';
import { dashboardViews } from '../views/dashboard.ts';
import { discoveryViews } from '../views/discovery.ts';
import { blenderViews } from '../views/doors/blender.ts';
import { fuelViews } from '../views/doors/fuel.ts';
import { gitViews } from '../views/doors/git.ts';
import { huggingFaceViews } from '../views/doors/hugging-face/index.ts';
import { ociViews } from '../views/doors/oci/index.ts';
import { rawViews } from '../views/doors/raw.ts';
import { s3Views } from '../views/doors/s3/index.ts';
import { usdSearchViews } from '../views/doors/usd-search.ts';
import { graphqlViews } from '../views/graphql/index.ts';
import { installViews } from '../views/install.ts';
import { mcpViews } from '../views/mcp/index.ts';
import { pages } from '../views/pages/index.ts';
import { restViews } from '../views/rest/index.ts';
import { thumbnailViews } from '../views/thumbnails.ts';

/**
 * Milliseconds. A request can take as long as a presigned URL is valid, for large uploads over slow connections;
 * stalled requests are closed earlier, because nothing moves on their connection.
 */
const TIMEOUTS = {
  headersTimeout: 20_000,
  connectionsCheckingInterval: 5_000,
  requestTimeout: LIMITS.presignTtl.max * 1_000,
  keepAliveTimeout: 65_000,
  idle: 120_000,
  /** The window in which a transfer must keep the minimum rate on average. */
  minimumRateWindow: 60_000,
};

export type Timeouts = typeof TIMEOUTS;

/** Maximum length of a path parameter; longer ones are not found. */
const MAX_PARAMETER = 500;

/** Creates the service as an HTTP application from its parts. It does not listen yet. */
export async function createApp(
  context: Context,
  timeouts: Partial<Timeouts> = {},
): Promise<FastifyInstance> {
  const { trustedProxies } = context.configuration;
  const app: FastifyInstance = fastify({
    loggerInstance: context.log,
    logController: new LogController({ disableRequestLogging: true }),
    bodyLimit: LIMITS.jsonBody,
    genReqId: () => randomUUID(),
    trustProxy: trustedProxies.length > 0 ? trustedProxies : false,
    routerOptions: { maxParamLength: MAX_PARAMETER },
    exposeHeadRoutes: true,
    forceCloseConnections: 'idle',
    frameworkErrors: handleFrameworkError,
    clientErrorHandler: rejectUnparsable,
    serverFactory: (handler) => createHttpServer(context, { ...TIMEOUTS, ...timeouts }, handler),
  }) as unknown as FastifyInstance;

  const methods = collectMethods(app);
  setCommonHeaders(app, context.configuration);
  followClients(app, context);
  logRequests(app, context);
  limitRequests(app, context);
  rejectUnderPressure(app, context.configuration);
  await allowTokenClients(app);
  await compressResponses(app);
  readBodiesAsBytes(app);

  handleErrors(app, methods);
  restViews(app, context);
  if (context.configuration.role !== 'auth') {
    graphqlViews(app, context);
    mcpViews(app, context);
    discoveryViews(app, context);
    installViews(app, context);
    thumbnailViews(app, context);
    await rawViews(app, context);
    await huggingFaceViews(app, context);
    await fuelViews(app, context);
    await blenderViews(app, context);
    await usdSearchViews(app, context);
    await s3Views(app, context);
    await ociViews(app, context);
    await gitViews(app, context);
  }
  if (context.configuration.role !== 'api') {
    await pages(app, context);
    if (context.dashboardFolder !== null) await dashboardViews(app, context, context.dashboardFolder);
  }
  return app;
}

/** Lets URLs begin as the client's own did, where no public one is configured. Parsing the body leaves the context. */
function followClients(app: FastifyInstance, { reachedOrigin }: Context): void {
  if (reachedOrigin === null) return;
  app.addHook('onRequest', (request, _reply, done) => reachedOrigin.during(request, done));
  app.addHook('preHandler', (request, _reply, done) => reachedOrigin.during(request, done));
}

/** Presigned URLs are served ahead of the framework, for speed. */
function createHttpServer(
  context: Context,
  { idle, minimumRateWindow, ...timeouts }: Timeouts,
  handler: (request: IncomingMessage, response: ServerResponse) => void,
): Server {
  const { minTransferRate } = context.configuration;
  const server = createServer(timeouts, (request, response) => {
    if (isExcess(request.socket) && request.url !== '/healthz') return refuseExcess(request, response);
    if (refuseSeveralHosts(request, response)) return;
    if (context.objectResponses.serveObjects(request, response)) logTransfer(context, request, response);
    else handler(request, response);
  });
  const isExcess = watchConnections(server);
  trackConnections(server);
  server.setTimeout(idle);
  if (minTransferRate !== null)
    closeSlowConnections(server, { rate: minTransferRate, window: minimumRateWindow });
  return server;
}

/** Lets handlers parse a body only after they have checked access, so that a wrong body never reveals what exists. */
function readBodiesAsBytes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, async (_request: unknown, body: Buffer) => body);
}
