import { readFileSync } from 'node:fs';
import { allRoutes, LIMITS, type Route } from '@bindery/contract';
import { OWNER } from '@bindery/server/testing';
import { bodyFor, fill } from '../routes/fill.ts';
import { LISTED } from './budget-world.ts';

/** A request with the largest input that a route or door accepts, or more. */
export interface LargeRequest {
  name: string;
  method: string;
  path: string;
  body?: Uint8Array<ArrayBuffer>;
  type?: string;
  /** The answer to it, if it fails as it should. */
  status?: number;
}

const numbers = (length: number) => Array.from({ length }, (_, number) => number);
const HASH = '0123456789abcdef'.repeat(4);
const json = (value: unknown) => Buffer.from(JSON.stringify(value));

/** As many different words as fit into the longest query. */
const MANY_WORDS = [...'abcdefghijklmnopqrstuvwxyz0123456789']
  .flatMap((letter) => [letter, `a${letter}`, `r${letter}`, `0${letter}`])
  .join(' ')
  .slice(0, LIMITS.search.queryLength);

const IDENTIFIERS = {
  namespace: OWNER,
  name: 'large',
  assetId: 'Asset-49999',
  release: 'v1',
  revision: '1',
  proposal: '1',
  uploadId: 'none',
  userName: 'nobody',
  id: 'none',
  projectSlug: 'lab',
  noteId: 'none',
  bindrId: 'none',
  nodeId: 'none',
  webhookId: 'none',
  invitationId: 'none',
  deliveryId: 'none',
};

const longPath = (number: number) => `${'a-folder-of-parts/'.repeat(56)}${number}`;
const filePath = (number: number) => `folder-${number * 49}/deep/er/texture.png`;

/** Bodies by the end of the route's path; other routes get one that suits them. */
const MAX_BODIES: Record<string, unknown> = {
  '/files-presign': { paths: numbers(LIMITS.presignPaths).map(filePath) },
  '/upload-authorizations': {
    files: numbers(LIMITS.uploadBatch.files).map((at) => ({
      relativePath: longPath(at),
      size: 1,
      sha256: HASH,
    })),
  },
  '/register': {
    artifacts: numbers(LIMITS.manifest.generated).map((at) => ({
      path: `.bindery/thumbs/${'of-an-asset-'.repeat(8)}${at}.webp`,
      size: at,
      sha256: HASH,
    })),
    changes: {
      base: HASH,
      assets: numbers(LIMITS.changes.max).map((at) => ({
        id: `Asset-${at}`,
        files: [{ path: filePath(at), size: 1, sha256: HASH }],
      })),
    },
  },
  '/complete': { parts: numbers(LIMITS.parts).map((at) => ({ partNumber: at + 1, etag: HASH.repeat(3) })) },
  '/uses': { assets: numbers(1_000).map((at) => `Asset-${at}`) },
  '/vectors': { texts: Array<string>(LIMITS.embedding.texts).fill('a '.repeat(2_000)) },
};

interface Parameter {
  name: string;
  in: string;
  schema: { type?: string; maximum?: number; enum?: string[] };
}

/** The parameters that make an answer long, with every order that it can have. */
function queriesOf(parameters: readonly Parameter[]): Record<string, string>[] {
  const long: Record<string, string> = {};
  let orders: (string | undefined)[] = [undefined];
  let texts: (string | undefined)[] = [undefined];
  for (const { name, in: where, schema } of parameters) {
    if (where !== 'query') continue;
    if (/limit|pageSize/i.test(name) && schema.maximum) long[name] = String(schema.maximum);
    else if (schema.enum?.includes('true') && name !== 'deleted') long[name] = 'true';
    else if (/^(sort|order)$/.test(name)) orders = schema.enum ?? orders;
    else if (name === 'from') long[name] = '1';
    else if (name === 'q') texts = ['a', MANY_WORDS];
    else if (name === 'libraries') long[name] = `${OWNER}/large,${OWNER}/small`;
  }
  return orders.flatMap((sort) =>
    texts.map((q) => ({ ...long, ...(sort && { sort }), ...(q !== undefined && { q }) })),
  );
}

/** As many JSON values as fit into a body. */
const nonsense = (bytes: number) => Buffer.from(`[${'[],'.repeat(Math.floor(bytes / 3) - 4)}[]]`);

const { paths: described } = JSON.parse(
  readFileSync(new URL('../../../../docs/openapi.json', import.meta.url), 'utf8'),
) as { paths: Record<string, Record<string, { parameters?: Parameter[] }>> };

function requestsTo(route: Route): LargeRequest[] {
  const { method, path, bodyLimit = LIMITS.jsonBody } = route;
  const { parameters = [] } = described[path.replaceAll(/:(\w+)/g, '{$1}')]?.[method.toLowerCase()] ?? {};
  const filled = fill(path, IDENTIFIERS);
  const [, largest = bodyFor(route)] =
    Object.entries(MAX_BODIES).find(([end]) => method === 'POST' && path.endsWith(end)) ?? [];
  const whole = queriesOf(parameters).map((query) => ({
    name: `${method} ${path}?${new URLSearchParams(query)}`.slice(0, 120),
    method,
    path: `${filled}?${new URLSearchParams(query)}`,
    ...(largest !== null && { body: json(largest) }),
  }));
  if (method === 'GET') return whole;
  const name = `${method} ${path} with nonsense`;
  return [...whole, { name, method, path: filled, body: nonsense(bodyLimit) }];
}

const LARGE = `${OWNER}/large`;
const get = (path: string): LargeRequest => ({ name: `GET ${path}`.slice(0, 120), method: 'GET', path });
const post = (path: string, body: Uint8Array<ArrayBuffer>, type = 'application/json'): LargeRequest => ({
  name: `POST ${path} (${type}, ${body.length} bytes)`,
  method: 'POST',
  path,
  body,
  type,
});

const commitLines = (line: (number: number) => unknown) =>
  Buffer.from(
    numbers(25_000)
      .map((at) => JSON.stringify(line(at)))
      .join('\n'),
  );
const tool = (name: string, given: object) =>
  post('/mcp', json({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: given } }));
const form = 'application/x-www-form-urlencoded';

/** What doors, GraphQL and agents are asked. */
const doors: LargeRequest[] = [
  get(`/raw/${LARGE}/`),
  get(`/raw/${LARGE}/folder-49999/model.stl`),
  get(`/raw/${LARGE}/Asset-49999.zip`),
  get(`/raw/${LARGE}/Asset-49999?as=usd`),
  get(`/s3/${LARGE.replace('/', '.')}?list-type=2`),
  get(`/s3/${LARGE.replace('/', '.')}?list-type=2&delimiter=/&start-after=folder-4`),
  get(`/s3/${LARGE.replace('/', '.')}?prefix=folder-&delimiter=9&marker=folder-49`),
  get(`/s3/${LARGE.replace('/', '.')}/folder-49999/model.stl`),
  get('/s3/'),
  // Of most assets no bytes are stored.
  { ...get(`/v2/${LARGE}/manifests/latest`), status: 500 },
  get(`/v2/${LARGE}/manifests/sha256:${'0'.repeat(64)}`),
  get(`/v2/${LARGE}/asset-49999/manifests/latest`),
  get(`/v2/${LARGE}/blobs/sha256:${'f'.repeat(64)}`),
  get(`/v2/${LARGE}/tags/list`),
  get(`/blender/${LARGE}/_asset-library-meta.json`),
  get('/1.0/models?page=1'),
  get('/1.0/models?page=99'),
  get(`/1.0/${OWNER}/models?page=400`),
  get(`/1.0/${OWNER}/collections/large/models?page=500`),
  get(`/1.0/${OWNER}/models/large~asset-49999`),
  get(`/1.0/${OWNER}/models/large~asset-nothing`),
  get(`/1.0/${OWNER}/models/large~asset-49999/tip/large~asset-49999.zip`),
  post('/usdsearch/search_hybrid', json({ limit: 10_000, exclude_search_path: '*?a'.repeat(160) })),
  post('/usdsearch/search_hybrid', json({ filter_by_properties_include_any: '*=~*?z,'.repeat(70) })),
  post('/usdsearch/search_hybrid', nonsense(LIMITS.jsonBody)),
  get(`/usdsearch/download/asset?asset_url=${LARGE}/folder-49999/model.stl&manifest_only=true`),
  ...['models', 'datasets'].flatMap((kind) => [
    get(`/hf/api/${kind}?limit=100`),
    get(`/hf/api/${kind}?limit=100&search=library&cursor=9900`),
    get(`/hf/api/${kind}?limit=100&author=${OWNER}&search=nothing-of-it`),
    get(`/hf/api/${kind}/${LARGE}?blobs=true`),
    get(`/hf/api/${kind}/${LARGE}/tree/main?recursive=true&expand=true&cursor=90000`),
    get(`/hf/api/${kind}/${LARGE}/tree/main?cursor=49000`),
    get(`/hf/api/${kind}/${LARGE}/refs`),
  ]),
  get(`/hf/${LARGE}/resolve/main/folder-49999/model.stl`),
  get('/hf/api/whoami-v2'),
  post(
    `/hf/api/models/${LARGE}/paths-info/main`,
    json({ paths: numbers(1_000).map(filePath), expand: true }),
  ),
  post(`/hf/api/models/${LARGE}/paths-info/main`, Buffer.from('paths=a&'.repeat(131_000)), form),
  post(`/hf/api/models/${LARGE}/paths-info/main`, Buffer.from('&a'.repeat(520_000)), form),
  post(`/hf/api/models/${LARGE}/paths-info/main`, nonsense(LIMITS.jsonBody)),
  post(
    `/hf/api/models/${LARGE}/preupload/main`,
    json({ files: numbers(1_000).map((at) => ({ path: longPath(at), size: 1 })) }),
  ),
  post(
    `/hf/${LARGE}.git/info/lfs/objects/batch`,
    json({
      operation: 'upload',
      objects: numbers(1_000).map((at) => ({ oid: at.toString(16).padStart(64, 'f'), size: 5 * 2 ** 20 })),
    }),
  ),
  post('/hf/api/repos/create', nonsense(LIMITS.jsonBody)),
  post('/hf/api/validate-yaml', nonsense(LIMITS.jsonBody)),
  post('/hf/uploads/a/b/c', nonsense(LIMITS.jsonBody)),
  post(`/hf/api/models/${LARGE}/commit/main`, nonsense(LIMITS.pathsBody)),
  post(`/hf/api/models/${LARGE}/commit/main`, Buffer.alloc(LIMITS.pathsBody, '\n')),
  post(
    `/hf/api/models/${OWNER}/${LISTED}-1/commit/main`,
    commitLines((at) => ({ key: 'lfsFile', value: { path: `new-${at}/x`, oid: HASH, size: 1 } })),
  ),
  post(
    `/hf/api/models/${OWNER}/${LISTED}-1/commit/main`,
    commitLines((at) => ({ key: 'deletedFolder', value: { path: `${longPath(at)}`.slice(0, 250) } })),
  ),
  post(
    `/hf/api/models/${OWNER}/${LISTED}-1/commit/main`,
    json({ key: 'file', value: { path: 'one.bin', content: 'A'.repeat(8 * 2 ** 20 - 100) } }),
  ),
  post('/graphql', nonsense(128 * 1024 - 10)),
  post('/graphql', json({ query: `{ ${'a '.repeat(60_000)} }` })),
  post('/mcp', nonsense(128 * 1024 - 10)),
  post('/mcp', json({ jsonrpc: '2.0', id: 1, method: 'tools/list' })),
  tool('search_assets', { query: MANY_WORDS, limit: 50 }),
  tool('list_libraries', { limit: 100 }),
  tool('list_libraries', { namespace: OWNER, limit: 100 }),
  tool('get_library', { library: LARGE }),
  ...['/healthz', '/readyz', '/metrics', '/openapi.json', '/llms.txt', '/.well-known/api-catalog'].map(get),
];

const isLast = (route: Route) => route.method === 'DELETE' || route.path.endsWith('/revoke');

/** Every route and door; those that take something away come last. */
export const LARGE_REQUESTS: readonly LargeRequest[] = [
  ...allRoutes.filter((route) => !isLast(route)).flatMap(requestsTo),
  ...doors,
  ...allRoutes.filter(isLast).flatMap(requestsTo),
];
