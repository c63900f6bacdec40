import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';

let service: TestService;
let ada: Actor;
let projectId: string;
beforeAll(async () => {
  service = await startService();
  ada = await service.member('ada');
  await new Publisher(ada, 'ada', 'robots').publish({ 'a/b.txt': 'x' });
  const { body } = await ada.post('/namespaces/ada/projects', { displayName: 'Lab', slug: 'lab' });
  projectId = String(body.id);
});
afterAll(() => service.close());

const LISTS: [path: string, parameter: string, max: number][] = [
  ['/libraries', 'limit', 500],
  ['/namespaces/ada/libraries/robots/search', 'limit', 200],
  ['/library-search?libraries=ada/robots', 'limit', 200],
  ['/search', 'limit', 200],
  ['/search/complete', 'limit', 20],
  ['/namespaces/ada/projects', 'pageSize', 200],
  ['/namespaces/ada/notes', 'pageSize', 200],
  ['/namespaces/ada/libraries/robots/releases', 'pageSize', 200],
  ['/namespaces/ada/projects/lab/bindrs?view=choices', 'first', 100],
  ['/namespaces/ada/audit', 'first', 200],
];

async function refusal(path: string, query: string) {
  const answer = await ada.get(`${path}${path.includes('?') ? '&' : '?'}${query}`);
  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_parameter']);
  return answer.body;
}

test.each(LISTS)('%s accepts %s from 1 to %i, once', async (path, name, max) => {
  for (const value of ['0', '-1', String(max + 1), 'NaN', '', '1.0', '1e2']) {
    expect(await refusal(path, `${name}=${value}`)).toMatchObject({
      parameter: name,
      message: `${name}: an integer from 1 to ${max} (received "${value}").`,
    });
  }
  expect(await refusal(path, `${name}=1&${name}=1`)).toMatchObject({
    parameter: name,
    message: `${name}: can be given only once (received a list of 2).`,
  });
  for (const value of [1, max]) {
    expect((await ada.get(`${path}${path.includes('?') ? '&' : '?'}${name}=${value}`)).status).toBe(200);
  }
});

test.each([
  ...LISTS.map(([path]) => path),
  '/namespaces',
  '/namespaces/ada',
  '/namespaces/ada/members',
  '/api/auth/tokens',
])('%s refuses a parameter that does not exist', async (path) => {
  expect(await refusal(path, 'nothing=1')).toMatchObject({
    parameter: 'nothing',
    message: 'nothing: there is no such parameter (received "1").',
  });
});

test('a change with a parameter that does not exist is not made', async () => {
  const { status } = await ada.post('/namespaces/ada/notes?nothing=1', { name: 'Plan', projects: ['lab'] });
  expect(status).toBe(400);
  expect((await ada.get('/namespaces/ada/notes')).body.total).toBe(0);
});

test('a hidden thing is missing before a parameter is wrong, and health checks may have parameters', async () => {
  expect((await ada.get('/namespaces/eve/members?nothing=1')).status).toBe(404);
  for (const path of ['/healthz', '/readyz']) expect((await ada.get(`${path}?t=1`)).status).toBe(200);
});

test('GraphQL states the same rules in the same words', async () => {
  const messageOf = async (query: string) => {
    const { body } = await ada.post<{ errors: { message: string; extensions: object }[] }>('/graphql', {
      query,
    });
    expect(body.errors[0]?.extensions).toMatchObject({ code: 'BAD_USER_INPUT' });
    return body.errors[0]?.message;
  };
  for (const value of [0, -1, 201]) {
    expect(await messageOf(`{ projectCatalog(namespaceSlug: "ada", pageSize: ${value}) { total } }`)).toBe(
      `pageSize: an integer from 1 to 200 (received ${value}).`,
    );
  }
  expect(await messageOf('{ projectCatalog(namespaceSlug: "ada", page: 0) { total } }')).toBe(
    'page: an integer from 1 to 1000000 (received 0).',
  );
  expect(await messageOf(`{ bindrs(projectId: "${projectId}", first: 101) { nodes { id } } }`)).toBe(
    'first: an integer from 1 to 100 (received 101).',
  );
});
