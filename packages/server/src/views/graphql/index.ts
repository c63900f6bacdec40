import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { type DocumentNode, type GraphQLError, type GraphQLSchema, parse, validate } from 'graphql';
import { createHandler, parseRequestParams, type Request } from 'graphql-http';
import { LRUCache } from 'lru-cache';
import type { Viewer } from '../../access/viewer.ts';
import type { Context } from '../../context.ts';
import { unsupportedMediaType } from '../../errors.ts';
import { requirePlainBody } from '../../http/body.ts';
import { viewerOf } from '../../http/viewer.ts';
import { byPlace, MalformedRequest, presentError } from './errors.ts';
import { complexityProblem, lexicalProblem } from './limits.ts';
import type { GraphqlContext } from './nodes.ts';
import { schema } from './schema.ts';

/** How many documents are cached, and the longest one that is, in characters. */
const CACHE = { documents: 500, length: 10_000 };

/** Parses and validates each query once: clients send the same few documents repeatedly. */
class DocumentCache {
  readonly #schema: GraphQLSchema;
  readonly #bySource = new LRUCache<string, DocumentNode>({ max: CACHE.documents });
  readonly #errors = new WeakMap<DocumentNode, readonly GraphQLError[]>();

  constructor(schema: GraphQLSchema) {
    this.#schema = schema;
  }

  /** Throws a `GraphQLError` if the source is not GraphQL or is too large to be parsed. */
  parse(source: string): DocumentNode {
    const known = this.#bySource.get(source);
    if (known) return known;
    const problem = lexicalProblem(source);
    if (problem) throw problem;
    const document = parse(source);
    if (source.length <= CACHE.length) this.#bySource.set(source, document);
    return document;
  }

  validate(document: DocumentNode): readonly GraphQLError[] {
    const known = this.#errors.get(document);
    if (known) return known;
    const complexity = complexityProblem(document);
    const errors = complexity ? [complexity] : validate(this.#schema, document, undefined, { maxErrors: 20 });
    this.#errors.set(document, errors);
    return errors;
  }
}

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

const PAGE_PATH = '/graphql/try';
const SCRIPT_PATH = '/graphql/try.js';

/** Allows the page's own script and the queries that it sends; nothing else can run or be reached. */
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Try GraphQL · Bindery</title>
<script type="module" src="${SCRIPT_PATH}"></script>
<main>
<h1>Try GraphQL</h1>
<form>
<p><label>Token (kept on this page only)<br><input type="password" name="token" size="60" autocomplete="off"></label>
<p><label>Query<br><textarea name="query" rows="12" cols="80" spellcheck="false">{ me { userName } }</textarea></label>
<p><label>Variables (JSON)<br><textarea name="variables" rows="4" cols="80" spellcheck="false">{}</textarea></label>
<p><button>Send</button>
</form>
<h2>Answer</h2>
<pre role="status"></pre>
</main>
</html>
`;

const SCRIPT = `const form = document.querySelector('form');
const answer = document.querySelector('pre');
form.addEventListener('submit', async (event) => {
  event.preventDefault();
  const { token, query, variables } = Object.fromEntries(new FormData(form));
  try {
    const response = await fetch('/graphql', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(token ? { authorization: 'Bearer ' + token } : {}) },
      body: JSON.stringify({ query, variables: JSON.parse(variables || '{}') }),
    });
    answer.textContent = JSON.stringify(await response.json(), null, 2);
  } catch (error) {
    answer.textContent = String(error);
  }
});
`;

/** A page for trying queries, for developers of clients. Served in development only. */
function tryViews(app: FastifyInstance): void {
  app.get(PAGE_PATH, async (_request, reply) =>
    reply.header('content-security-policy', POLICY).type('text/html; charset=utf-8').send(PAGE),
  );
  app.get(SCRIPT_PATH, async (_request, reply) => reply.type('text/javascript; charset=utf-8').send(SCRIPT));
}
