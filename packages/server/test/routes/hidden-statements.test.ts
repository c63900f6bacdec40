import { allRoutes } from '@bindery/contract';
import type { KyselyPlugin } from 'kysely';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { Actor } from '../actor.ts';
import { openTestSqlite } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';
import { bodyFor, fill, parameterNames } from './fill.ts';

let service: TestService;
let stranger: Actor;
/** The number of statements of a request. */
let statements = 0;

const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';
const things = {
  name: 'secret',
  assetId: 'a',
  release: 'v1',
  revision: '1',
  proposal: '1',
  uploadId: UNKNOWN_ID,
  userName: 'olga',
  id: UNKNOWN_ID,
  projectSlug: 'lab',
  noteId: UNKNOWN_ID,
  bindrId: UNKNOWN_ID,
  nodeId: UNKNOWN_ID,
  webhookId: UNKNOWN_ID,
  invitationId: UNKNOWN_ID,
  deliveryId: UNKNOWN_ID,
};

beforeAll(async () => {
  // What the service does by itself from time to time is not part of a request.
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
  const database = await openTestSqlite();
  service = await startService({ database });
  stranger = await service.stranger();
  const olga = await service.member('olga');
  const secret = new Publisher(olga, 'olga', 'secret');
  await secret.publish({ 'a/b.txt': 'x' });
  await olga.post(`${secret.path}/releases`, { name: 'v1' });
  await olga.post('/namespaces/olga/projects', { displayName: 'Lab', slug: 'lab' });
  const recorder: KyselyPlugin = {
    transformQuery: ({ node }) => {
      statements++;
      return node;
    },
    transformResult: async ({ result }) => result,
  };
  service.context.db = service.context.db.withPlugin(recorder);
});
afterAll(async () => {
  await service.close();
  vi.useRealTimers();
});

async function statementsOf(method: string, path: string, body: unknown): Promise<number> {
  statements = 0;
  await stranger.send(method, path, body);
  return statements;
}

const asked = allRoutes.filter(({ path }) => parameterNames(path).length > 0);
test.each(asked.map((route) => [`${route.method} ${route.path}`, route] as const))(
  '%s runs as many SQL statements for a hidden namespace as for a missing one',
  async (_name, route) => {
    const body = route.method === 'GET' ? undefined : bodyFor(route);
    const ask = (slug: string) =>
      statementsOf(route.method, fill(route.path, { ...things, slug, namespace: slug }), body);
    expect(await ask('olga')).toBe(await ask('nope'));
  },
);
