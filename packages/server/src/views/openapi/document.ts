import { STATUS_CODES } from 'node:http';
import { AUTHORIZATION_PENDING, ERROR_STATUS, type ErrorCode, type Route, routes } from '@bindery/contract';
import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { readVersion } from '../../version.ts';
import { Components, type JsonSchema } from './schemas.ts';

/** Returns the document as it is served and as it is stored in `docs/openapi.json`. */
export async function openApiText(): Promise<string> {
  return `${JSON.stringify(await openApiDocument(readVersion()), null, 2)}\n`;
}

/** Error codes that any route may return, and those of routes with a body. */
const EVERYWHERE: ErrorCode[] = [
  'bad_request',
  'invalid_parameter',
  'rate_limited',
  'internal',
  'unavailable',
];
/** Every change is written to the disk of the service. */
const CHANGES: ErrorCode[] = ['storage_full'];
const WITH_BODY: ErrorCode[] = ['payload_too_large', 'unsupported_media_type'];

const FURTHER_SUCCESS: Record<number, string> = {
  201: 'Created: it did not exist before. The body is the same as for 200',
  202: 'Not decided yet: `{"error": "authorization_pending"}`. Ask again after the interval',
  304: 'Unchanged since the `ETag` that was sent as `If-None-Match`',
};

/** The body of a 202: a code alone, because it is not a failure. */
const PENDING: JsonSchema = {
  type: 'object',
  properties: { error: { const: AUTHORIZATION_PENDING } },
  required: ['error'],
};

/** Generates the description of the whole HTTP interface (OpenAPI 3.1) from the contract, one route after another. */
async function openApiDocument(version: string): Promise<JsonSchema> {
  const components = new Components();
  const paths: Record<string, Record<string, JsonSchema>> = {};
  for (const { tag, name, route } of namedRoutes()) {
    const path = route.path.replaceAll(/:(\w+)/g, '{$1}');
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: operation(tag, name, route, components) };
    if (turnIsOver()) await nextTurn();
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Bindery',
      version,
      summary: 'Versioned libraries of 3D and robotics assets: publish, find, verify, pull.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    tags: Object.keys(routes).map((name) => ({ name })),
    paths,
    components: {
      schemas: sorted({ ...components.schemas, Error: errorSchema() }),
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'A service token of `bindery login`, or a personal access token (`bnd_…`).',
        },
      },
    },
  };
}

interface NamedRoute {
  tag: string;
  name: string;
  route: Route;
}

function namedRoutes(): NamedRoute[] {
  return Object.entries(routes)
    .flatMap(([tag, resource]) => Object.entries(resource).map(([name, route]) => ({ tag, name, route })))
    .filter((entry): entry is NamedRoute => isRoute(entry.route))
    .sort((a, b) => compare(a.route.path, b.route.path) || compare(a.route.method, b.route.method));
}

function isRoute(value: unknown): value is Route {
  return typeof value === 'object' && value !== null && 'method' in value && 'path' in value;
}

function operation(tag: string, name: string, route: Route, components: Components): JsonSchema {
  const body = requestBody(route, components);
  return {
    operationId: name,
    tags: [tag],
    summary: route.summary,
    security: { public: [], optional: [{}, { bearer: [] }], required: [{ bearer: [] }] }[
      route.authentication
    ],
    parameters: [
      ...parameters('path', components.input(route.params)),
      ...parameters('query', components.input(route.query)),
    ],
    ...(body && { requestBody: body }),
    responses: { ...successes(route, components), ...failures(route, body !== undefined) },
  };
}

function parameters(place: 'path' | 'query', schema: JsonSchema): JsonSchema[] {
  const { properties = {}, required = [] } = schema as {
    properties?: Record<string, JsonSchema>;
    required?: string[];
  };
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    required: place === 'path' || required.includes(name),
    ...(description !== undefined && { description }),
    schema: rest,
  }));
}

function requestBody(route: Route, components: Components): JsonSchema | undefined {
  const schema = components.input(route.body);
  if (schema.type === 'null') return undefined;
  return { required: !route.body.safeParse(null).success, content: json(schema) };
}

function successes(route: Route, components: Components): Record<string, JsonSchema> {
  const schema = components.output(route.response);
  const content = schema.type === 'null' ? {} : { content: json(schema) };
  const further = (route.furtherSuccess ?? []).map((status) => [
    status,
    {
      description: FURTHER_SUCCESS[status],
      ...(status === 201 && content),
      ...(status === 202 && { content: json(PENDING) }),
    },
  ]);
  return {
    [route.success]: { description: STATUS_CODES[route.success], ...content },
    ...Object.fromEntries(further),
  };
}

/** Describes one response for each status, listing the codes that it may carry. */
function failures(route: Route, hasBody: boolean): Record<string, JsonSchema> {
  const codes = new Set<ErrorCode>([
    ...EVERYWHERE,
    ...(route.authentication === 'public' ? [] : (['invalid_token'] as const)),
    ...(route.authentication === 'required' ? (['unauthenticated'] as const) : []),
    ...(hasBody ? WITH_BODY : []),
    ...(route.method === 'GET' ? [] : CHANGES),
    ...route.errors,
  ]);
  const byStatus = Object.groupBy([...codes].sort(), (code) => String(ERROR_STATUS[code]));
  return Object.fromEntries(
    Object.entries(byStatus).map(([status, found = []]) => [
      status,
      {
        description: found.map((code) => `\`${code}\``).join(', '),
        content: json({ $ref: '#/components/schemas/Error' }),
      },
    ]),
  );
}

function json(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } };
}

function errorSchema(): JsonSchema {
  return {
    type: 'object',
    description:
      'A failed request. Some codes have further fields, such as `parameter`, `revision` or `paths`.',
    properties: {
      error: { type: 'string', enum: Object.keys(ERROR_STATUS).sort() },
      message: { type: 'string', description: 'A sentence for people; its wording may change' },
      requestId: { type: 'string' },
    },
    required: ['error', 'message', 'requestId'],
  };
}

function sorted(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => compare(a, b)));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
