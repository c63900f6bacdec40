import { serverAudits } from 'graphql-http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { startService, type TestService } from '../service.ts';

interface GraphqlAnswer {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions: Record<string, unknown> }[];
}

let service: TestService;
let ada: Actor;
let projectId: string;

beforeAll(async () => {
  service = await startService();
  ada = await service.member('ada');
  const made = await ada.post<{ id: string }>('/namespaces/ada/projects', { displayName: 'Kitchen' });
  projectId = made.body.id;
});
afterAll(() => service.close());

async function ask(actor: Actor, query: string, variables: Record<string, unknown> = {}) {
  return actor.post<GraphqlAnswer>('/graphql', { query, variables });
}

const codes = ({ errors = [] }: GraphqlAnswer) => errors.map(({ extensions }) => extensions.code);

describe('GraphQL over HTTP', () => {
  test.each(
    serverAudits({
      url: () => `${service.url}/graphql`,
      fetchFn: (url: string, init: RequestInit) => fetch(url, init),
    }),
  )('audit $id: $name', async (audit) => {
    const result = await audit.fn();
    const reason = result.status === 'ok' ? '' : `${result.reason} ${await answerOf(result)}`;
    expect(reason).toBe('');
  });

  test('an invalid token gets 401 and is never treated as anonymous', async () => {
    const answer = await ask(service.anonymous.with({ authorization: 'Bearer bnd_wrong' }), '{ me { id } }');
    expect(answer).toMatchObject({ status: 401, body: { error: 'invalid_token' } });
  });

  test.each([{}, { query: 7 }, { query: '{ me { id } }', variables: [] }, 'text', null])(
    'a body that is not a GraphQL request gets 400 BAD_USER_INPUT: %j',
    async (sent) => {
      const { status, body } = await ada.post<GraphqlAnswer>('/graphql', sent);
      expect([status, codes(body)]).toEqual([400, ['BAD_USER_INPUT']]);
    },
  );

  test.each([
    ['a full disk', { errcode: 13 }, { code: 'STORAGE_FULL' }],
    ['a lack of file descriptors', { code: 'EMFILE' }, { code: 'UNAVAILABLE', retryAfter: 5 }],
  ])('%s is reported as such, without the details of the failure', async (_, failure, extensions) => {
    const { db } = service.context;
    service.context.db = db.withPlugin({
      transformQuery: ({ node }) => node,
      transformResult: async () => {
        throw Object.assign(new Error('failed at /secret/place'), failure);
      },
    });
    try {
      const answer = await ask(service.anonymous, '{ projectCatalog(namespaceSlug: "ada") { total } }');
      expect(answer.status).toBe(200);
      expect(answer.body.errors).toMatchObject([{ extensions }]);
      expect(JSON.stringify(answer.body)).not.toContain('secret');
    } finally {
      service.context.db = db;
    }
  });

  test('a body of another content type gets 415', async () => {
    const { status, body } = await ada
      .with({ 'content-type': 'text/plain' })
      .post('/graphql', { query: '{ me { id } }' });
    expect([status, body.error]).toEqual([415, 'unsupported_media_type']);
  });

  test('HEAD is answered as GET is, without the body', async () => {
    for (const path of ['/graphql', '/graphql?query=%7B__typename%7D', '/graphql?query=%7B']) {
      const get = await ada.get(path);
      const head = await ada.send<null>('HEAD', path);
      expect([path, head.status, head.body]).toEqual([path, get.status, null]);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
      expect(head.headers.get('content-type')).toBe(get.headers.get('content-type'));
    }
    expect((await ada.with({ authorization: 'Bearer bnd_wrong' }).send('HEAD', '/graphql')).status).toBe(401);
  });

  test('a batch of requests is refused', async () => {
    const answer = await ada.post('/graphql', [{ query: '{ me { id } }' }]);
    expect(answer.status).toBe(400);
  });
});

async function answerOf({ response }: { response: Response }): Promise<string> {
  return response.bodyUsed ? '' : response.text();
}

describe('queries', () => {
  test('me is the signed-in account, or null for an anonymous viewer', async () => {
    const query = '{ me { userName email } }';
    expect((await ask(ada, query)).body).toEqual({
      data: { me: { userName: 'ada', email: 'ada@example.org' } },
    });
    expect((await ask(service.anonymous, query)).body).toEqual({ data: { me: null } });
  });

  test('a Note has its Nodes, each with its project as a Node and only the Bindrs that tag it', async () => {
    const note = await ada.post<{ id: string }>('/namespaces/ada/notes', {
      name: 'Mug',
      projects: ['kitchen'],
    });
    const bindrs = '/namespaces/ada/projects/kitchen/bindrs';
    const cups = await ada.post<{ id: string }>(bindrs, { name: 'cups' });
    await ada.post(bindrs, { name: 'plates' });
    const query = `query ($ns: String!, $id: ID!) {
      note(namespaceSlug: $ns, id: $id) {
        id name
        nodes { id name path projectNodeId project { __typename id slug displayName } bindrs { id name parentId } }
      }
    }`;
    const variables = { ns: 'ada', id: note.body.id };
    const filed = await ada.get<{ nodes: { id: string }[] }>(
      `/namespaces/ada/resources/note/${note.body.id}/projects?view=nodes`,
    );
    const [node] = filed.body.nodes;
    await ada.put(`${bindrs}/${cups.body.id}/members/${node?.id}`);
    const tagged = await ask(ada, query, variables);
    expect(tagged.body).toEqual({
      data: {
        note: {
          id: note.body.id,
          name: 'Mug',
          nodes: [
            {
              id: node?.id,
              name: 'Mug',
              path: ',',
              projectNodeId: projectId,
              project: { __typename: 'Node', id: projectId, slug: 'kitchen', displayName: 'Kitchen' },
              bindrs: [{ id: cups.body.id, name: 'cups', parentId: null }],
            },
          ],
        },
      },
    });
    const stranger = await service.stranger();
    expect((await ask(stranger, query, variables)).body).toEqual({ data: { note: null } });
    for (const address of [
      { ns: 'ada', id: 'nothing' },
      { ns: 'ada', id: 'no id at all' },
      { ns: 'No Slug', id: 'nothing' },
    ]) {
      expect((await ask(stranger, query, address)).body).toEqual({ data: { note: null } });
    }
  });

  test('the project catalog and the Bindr choices are the same as in REST', async () => {
    const { body } = await ask(
      ada,
      `query ($id: ID!) {
        projectCatalog(namespaceSlug: "ada") {
          total page pageSize totalPages canCreate
          projects { id slug displayName permissions {
            role project { read update delete manageGrants } content { read create delete } } }
        }
        bindrs(projectId: $id, first: 1) { nodes { id name parentId projectNodeId } pageInfo { hasNextPage } }
      }`,
      { id: projectId },
    );
    expect(body.data?.projectCatalog).toEqual((await ada.get('/namespaces/ada/projects')).body);
    const choices = await ada.get('/namespaces/ada/projects/kitchen/bindrs?view=choices&first=1');
    expect(choices.body).toMatchObject(body.data?.bindrs as object);
  });
});

describe('errors', () => {
  test.each([
    ['{ projectCatalog(namespaceSlug: "nobody") { total } }', ['NOT_FOUND']],
    ['{ projectCatalog(namespaceSlug: "ada", pageSize: 201) { total } }', ['BAD_USER_INPUT']],
    ['{ projectCatalog(namespaceSlug: "Not A Slug") { total } }', ['BAD_USER_INPUT']],
    ['{ bindrs(projectId: "nothing") { nodes { id } } }', ['NOT_FOUND']],
    ['{ note(namespaceSlug: "ada") { id } }', ['BAD_USER_INPUT']],
    ['{ nothing }', ['BAD_USER_INPUT']],
    ['{ me { id }', ['BAD_USER_INPUT']],
  ])('%s gets the error codes %j', async (query, expected) => {
    expect(codes((await ask(ada, query)).body)).toEqual(expected);
  });

  const catalog = (type: string, argument: string) =>
    `query ($value: ${type}) { projectCatalog(namespaceSlug: "ada", ${argument}: $value) { total } }`;
  const nested = (open: string, close: string, depth: number) =>
    `${open.repeat(depth)}1${close.repeat(depth)}`;

  test.each([
    ['a fraction as an Int', catalog('Int', 'page'), '1.5'],
    ['a list 50,000 deep as an Int', catalog('Int', 'page'), nested('[', ']', 50_000)],
    ['an object 19,000 deep as a String', catalog('String', 'search'), nested('{"a":', '}', 19_000)],
  ])('%s gets BAD_USER_INPUT', async (_name, query, value) => {
    const sent = `{"query":${JSON.stringify(query)},"variables":{"value":${value}}}`;
    const { status, body } = await ada.post<GraphqlAnswer>('/graphql', sent);
    expect([status, codes(body)]).toEqual([200, ['BAD_USER_INPUT']]);
  });

  test('a repeated query returns identical bytes, with fields in query order', async () => {
    const query = `query ($missing: ID!) {
      slow: projectCatalog(namespaceSlug: "ada") { total }
      me { __proto__: id constructor: userName }
      hidden: projectCatalog(namespaceSlug: "nobody") { total }
      quick: me { id }
      bindrs(projectId: $missing) { nodes { id } }
    }`;
    const body = JSON.stringify({ query, variables: { missing: 'x' } });
    const headers = { ...ada.headers, 'content-type': 'application/json' };
    const send = async () =>
      (await fetch(`${service.url}/graphql`, { method: 'POST', headers, body })).text();
    const answers = new Set([await send(), await send(), await send()]);
    expect(answers.size).toBe(1);
    const [first = ''] = answers;
    expect(
      [...first.matchAll(/"(slow|me|hidden|quick|__proto__|constructor)":/g)].map(([, key]) => key),
    ).toEqual(['slow', 'me', '__proto__', 'constructor', 'hidden', 'quick']);
    expect(first).toContain('"locations":[{"line":4,"column":7}]');
  });

  test('an unexpected error does not expose its internal details', async () => {
    const { db } = service.context;
    const broken = Object.assign(Object.create(db), {
      selectFrom: () => {
        throw new Error('secret table name');
      },
    });
    service.context.db = broken;
    try {
      const { body } = await ask(
        ada.with({ authorization: '' }),
        '{ projectCatalog(namespaceSlug: "ada") { total } }',
      );
      expect(JSON.stringify(body)).not.toContain('secret');
    } finally {
      service.context.db = db;
    }
  });
});

describe('a query that is too complex', () => {
  const nested = (depth: number) =>
    `{ note(namespaceSlug: "ada", id: "x") { nodes { ${'project { '.repeat(depth)} id ${'}'.repeat(depth)} } } }`;
  const aliases = Array.from({ length: 40 }, (_, index) => `a${index}: me { id }`).join(' ');
  const bomb = [
    'query { ...f0 }',
    ...Array.from(
      { length: 15 },
      (_, index) => `fragment f${index} on Query { ...f${index + 1} ...f${index + 1} }`,
    ),
    'fragment f15 on Query { me { id } }',
  ].join(' ');
  const directives = `{ me ${'@include(if: true) '.repeat(40)} { id } }`;

  test.each([
    ['depth', nested(20)],
    ['aliases', `{ ${aliases} }`],
    ['fragments', bomb],
    ['directives', directives],
    ['tokens', `{ ${'me { id } '.repeat(2_000)} }`],
    ['nested lists', `{ note(namespaceSlug: "ada", id: ${'['.repeat(20_000)}) { id } }`],
    ['nested list types', `query ($ids: ${'['.repeat(20_000)}Int) { me { id } }`],
    ['inline fragments', `{ ${'... { '.repeat(300)} me { id } ${'}'.repeat(300)} }`],
  ])('gets TOO_COMPLEX for its %s', async (_name, query) => {
    expect(codes((await ask(ada, query)).body)).toEqual(['TOO_COMPLEX']);
  });

  test('gets BAD_USER_INPUT if a fragment spreads itself', async () => {
    const { body } = await ask(ada, 'query { ...f } fragment f on Query { ...f me { id } }');
    expect(codes(body)).toEqual(['BAD_USER_INPUT']);
  });
});
