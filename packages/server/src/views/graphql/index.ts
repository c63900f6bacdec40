import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createHandler, parseRequestParams, type Request } from 'graphql-http';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { unsupportedMediaType } from '../../errors.ts';
import { requirePlainBody } from '../../http/body.ts';
import { viewerOf } from '../../http/viewer.ts';
import { DocumentCache } from './documents.ts';
import { byPlace, MalformedRequest, presentError } from './errors.ts';
import type { GraphqlContext } from './nodes.ts';
import { schema } from './schema.ts';
import { tryViews } from './try-page.ts';

type HandlerContext = GraphqlContext & Record<PropertyKey, unknown>;

const PATH = '/graphql';

/** In bytes; no query within the limits needs this many. */
const BODY_LIMIT = 128 * 1024;

/** Serves GraphQL over HTTP: the same use cases as REST, in another shape. An invalid token is HTTP 401. */
export function graphqlViews(app: FastifyInstance, context: Context): void {
  const documents = new DocumentCache(schema);
  const handle = createHandler<FastifyRequest, { viewer: Viewer }, HandlerContext>({
    schema,
    parseRequestParams: readRequest,
    parse: (source) => documents.parse(typeof source === 'string' ? source : source.body),
    validate: (_schema, document) => documents.validate(document),
    context: (request) => ({ context, viewer: request.context.viewer }),
    onOperation: (_request, _operation, result) =>
      'data' in result && result.errors ? { ...result, errors: result.errors.toSorted(byPlace) } : undefined,
    formatError: (error) =>
      presentError(error, (cause) => context.log.error({ err: cause }, 'a GraphQL field failed')),
  });

  const answer = async (request: FastifyRequest, reply: FastifyReply) => {
    const viewer = await viewerOf(context, 'optional', request);
    requirePlainBody(request);
    const [body, { status, headers = {} }] = await handle({
      url: request.url,
      // A `HEAD` is answered as a `GET` is, without the body.
      method: request.method === 'HEAD' ? 'GET' : request.method,
      headers: request.headers,
      body: () => (Buffer.isBuffer(request.body) ? request.body.toString('utf8') : null),
      raw: request,
      context: { viewer },
    });
    if (status === 415) throw unsupportedMediaType();
    return reply.status(status).headers(headers).send(body);
  };
  app.route({ method: ['GET', 'POST'], url: PATH, bodyLimit: BODY_LIMIT, handler: answer });
  if (context.configuration.development) tryViews(app);
}

/** Anything wrong with the request itself is the client's fault, so every error is a `MalformedRequest`. */
async function readRequest(request: Request<FastifyRequest, { viewer: Viewer }>) {
  try {
    return await parseRequestParams(request);
  } catch (error) {
    throw new MalformedRequest((error as Error).message);
  }
}
