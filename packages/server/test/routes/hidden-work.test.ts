import { DatabaseSync, type SQLInputValue } from 'node:sqlite';
import { allRoutes } from '@bindery/contract';
import { type CompiledQuery, createQueryId, type KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Actor } from '../actor.ts';
import { openTestSqlite } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';
import { bodyFor, fill, keysOf, parameterNames } from './fill.ts';

let service: TestService;
let stranger: Actor;
/** The database of the service, to ask how it would run a statement. */
let planner: DatabaseSync;
/** The statements of a request, and the rows that each of them answered. */
let statements: CompiledQuery[] = [];
let rowsOfStatements: number[] = [];

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const things = {
  name: 'secret',
  assetId: 'a',
  release: 'v1',
  uploadId: UNKNOWN_ID,
  userName: 'olga',
  id: UNKNOWN_ID,
  projectSlug: 'lab',
  noteId: UNKNOWN_ID,
  bindrId: UNKNOWN_ID,
  nodeId: UNKNOWN_ID,
  webhookId: UNKNOWN_ID,
  deliveryId: UNKNOWN_ID,
};

beforeAll(async () => {
  // What the service does by itself from time to time is no work of a request.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const database = await openTestSqlite();
  planner = new DatabaseSync(database.location, { readOnly: true });
  service = await startService({ database });
  stranger = await service.stranger();
  const olga = await service.member('olga');
  await olga.post('/namespaces', { slug: 'shown' });
  await new Publisher(olga, 'shown', 'public').publish({ 'a/b.txt': 'x' }, { visibility: 'public' });
  for (const namespace of ['olga', 'shown']) {
    const secret = new Publisher(olga, namespace, 'secret');
    await secret.publish({ 'a/b.txt': 'x' });
    await olga.post(`${secret.path}/releases`, { name: 'v1' });
    await olga.post(`/namespaces/${namespace}/projects`, { displayName: 'Lab', slug: 'lab' });
    const note = await olga.post<{ id: string }>(`/namespaces/${namespace}/notes`, {
      name: 'Plan',
      projects: ['lab'],
    });
    const hook = await olga.post<{ id: string }>(`/namespaces/${namespace}/webhooks`, {
      url: 'https://receiver.invalid/hook',
    });
    if (namespace === 'shown') Object.assign(things, { noteId: note.body.id, webhookId: hook.body.id });
  }
  const executor = service.context.db.getExecutor();
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements.push(executor.compileQuery(node, createQueryId()));
      return node;
    },
    transformResult: async ({ result }) => {
      rowsOfStatements.push(result.rows.length);
      return result;
    },
  };
  service.context.db = service.context.db.withPlugin(recorder);
});
afterAll(async () => {
  planner.close();
  await service.close();
  vi.useRealTimers();
});

async function workOf(method: string, path: string, body: unknown): Promise<number[]> {
  statements = [];
  rowsOfStatements = [];
  await stranger.send(method, path, body);
  return rowsOfStatements;
}

/** The steps in which the database looks things up for a statement. */
function planOf({ sql, parameters }: CompiledQuery): string[] {
  const steps = planner.prepare(`explain query plan ${sql}`).all(...(parameters as SQLInputValue[]));
  return steps.map(({ detail }) => String(detail));
}

/** A step that reads a whole table, or everything of a namespace. */
const walksThrough = /^SCAN (?!asked$|CONSTANT ROW$)|\(namespace_id=\?( AND state=\?)?\)/;

const asked = allRoutes.filter(({ path }) => parameterNames(path).length > 0);
test.each(asked.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s runs as many SQL statements for a hidden namespace as for a missing one',
  async (_name, route) => {
    const body = route.method === 'GET' ? undefined : bodyFor(route);
    const work = async (slug: string) =>
      (await workOf(route.method, fill(route.path, { ...things, slug, namespace: slug }), body)).length;
    expect(await work('olga')).toBe(await work('nope'));
  },
);

test.each(asked.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s scans neither whole tables nor all entries of a hidden namespace',
  async (_name, route) => {
    const body = route.method === 'GET' ? undefined : bodyFor(route);
    await workOf(route.method, fill(route.path, { ...things, namespace: 'olga' }), body);
    expect(statements.flatMap(planOf).filter((step) => walksThrough.test(step))).toEqual([]);
  },
);

test.each(
  asked
    .filter(({ path }) => parameterNames(path).length > 1)
    .map((route) => [`${route.method} ${route.path}`, route] as const),
)('%s fetches as many rows for a hidden resource as for a missing one', async (_name, route) => {
  const body = route.method === 'GET' ? undefined : bodyFor(route);
  const here = { namespace: 'shown' };
  const hidden = fill(route.path, { ...things, ...here });
  const missing = fill(route.path, {
    ...things,
    ...here,
    name: 'absent',
    projectSlug: 'gap',
    noteId: UNKNOWN_ID,
  });
  expect(await workOf(route.method, hidden, body)).toEqual(await workOf(route.method, missing, body));
});

test.each(
  asked
    .filter(({ query }) => keysOf(query).includes('release'))
    .map((route) => [`${route.method} ${route.path}`, route] as const),
)(
  '%s fetches as many rows for a release of a hidden library as of a missing one, without a scan',
  async (_name, route) => {
    const body = route.method === 'GET' ? undefined : bodyFor(route);
    const work = (namespace: string, name: string) =>
      workOf(route.method, `${fill(route.path, { ...things, namespace, name })}?release=v1`, body);
    const ofHidden = await work('shown', 'secret');
    expect(statements.flatMap(planOf).filter((step) => walksThrough.test(step))).toEqual([]);
    expect(ofHidden).toEqual(await work('shown', 'absent'));
    expect(await work('olga', 'secret')).toEqual(await work('nope', 'secret'));
  },
);
