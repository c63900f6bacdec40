import { allRoutes } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { manifestOf, Publisher, sha256 } from '../libraries/publisher.ts';
import { logIn } from '../login/device-login.ts';
import { startService, type TestService } from '../service.ts';
import { bodyFor, fill, type Identifiers, keysOf, parameterNames } from './fill.ts';

const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];
const UNKNOWN_ID = '00000000-0000-4000-8000-000000000000';

/** What nobody but Olga may see, named in a namespace that shows itself to nobody else. */
const HIDDEN_NAMESPACE = 'olga';
/** The same in a namespace that everybody may see, because one of its libraries is public. */
const VISIBLE_NAMESPACE = 'open-team';

describe.each(databases)('hidden and missing resources get the same response over $name', ({ open }) => {
  let service: TestService;
  let olga: Actor;
  let hidden: Identifiers;
  let hiddenInVisible: Identifiers;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    olga = await service.member('olga');
    await olga.post('/namespaces', { slug: VISIBLE_NAMESPACE });
    await new Publisher(olga, VISIBLE_NAMESPACE, 'public').publish(
      { 'a/b.txt': 'x' },
      { visibility: 'public' },
    );
    hidden = await makePrivateThings(HIDDEN_NAMESPACE);
    hiddenInVisible = await makePrivateThings(VISIBLE_NAMESPACE);
  });
  afterAll(() => service.close());

  /** A library, an upload, a token, a project, a Note, a Bindr and a webhook that are Olga's alone. */
  async function makePrivateThings(namespace: string): Promise<Identifiers> {
    const base = `/namespaces/${namespace}`;
    const secret = new Publisher(olga, namespace, 'secret');
    await secret.publish({ 'a/b.txt': 'x' });
    await olga.post(`${secret.path}/releases`, { name: 'v1' });
    const manifest = sha256(JSON.stringify(manifestOf({ 'a/b.txt': 'x' })));
    const made = async (path: string, body: unknown) => {
      const answer = await olga.post<Record<string, string>>(path, body);
      if (answer.status !== 201)
        throw new Error(`${path} answered ${answer.status} ${JSON.stringify(answer.body)}`);
      return answer.body;
    };
    await made(`${secret.path}/proposals`, {
      title: 'Title',
      changes: { base: manifest, library: { title: 'Secret' } },
    });
    const login = service.anonymous.with({ authorization: `Bearer ${await logIn(service, 'olga')}` });
    const token = await login.post<{ id: string }>('/api/auth/tokens', { name: 'for a robot' });
    await made(`${base}/projects`, { displayName: 'Lab', slug: 'lab' });
    const note = await made(`${base}/notes`, { name: 'Plan', projects: ['lab'] });
    const bindr = await made(`${base}/projects/lab/bindrs`, { name: 'Shelf' });
    const hook = await made(`${base}/webhooks`, { url: 'https://receiver.invalid/hook' });
    const ping = await olga.post<Record<string, string>>(`${base}/webhooks/${hook.id}/ping`);
    return {
      namespace,
      name: 'secret',
      assetId: 'a',
      release: 'v1',
      revision: '1',
      proposal: '1',
      uploadId: UNKNOWN_ID,
      userName: 'olga',
      id: token.body.id,
      projectSlug: 'lab',
      noteId: note.id ?? '',
      bindrId: bindr.id ?? '',
      nodeId: note.id ?? '',
      webhookId: hook.id ?? '',
      invitationId: UNKNOWN_ID,
      deliveryId: ping.body.id ?? '',
    };
  }

  const missing: Identifiers = {
    namespace: 'nope',
    name: 'absent',
    assetId: 'z',
    release: 'v9',
    revision: '9',
    proposal: '9',
    uploadId: UNKNOWN_ID,
    userName: 'none',
    id: UNKNOWN_ID,
    projectSlug: 'gap',
    noteId: UNKNOWN_ID,
    bindrId: UNKNOWN_ID,
    nodeId: UNKNOWN_ID,
    webhookId: UNKNOWN_ID,
    invitationId: UNKNOWN_ID,
    deliveryId: UNKNOWN_ID,
  };

  const paths = [...new Set(allRoutes.map(({ path }) => path))].filter(
    (path) => parameterNames(path).length > 0,
  );

  /** Everybody who is not Olga. */
  async function others(): Promise<[string, Actor][]> {
    return [
      ['somebody without a token', service.anonymous],
      ['a stranger', await service.stranger()],
      ['a stranger who may only read', await service.token('stranger', { scope: 'read' })],
      ['Olga with a token for another namespace', await boundElsewhere()],
    ];
  }

  async function boundElsewhere(): Promise<Actor> {
    await olga.post('/namespaces', { slug: 'elsewhere' });
    return service.token('olga', { namespace: 'elsewhere' });
  }

  /** Sends the same requests for what is hidden and for what is missing. */
  async function compare(path: string, there: Identifiers, notThere: Identifiers): Promise<void> {
    const routes = allRoutes.filter((route) => route.path === path);
    const compareOne = async (who: string, actor: Actor, method: string, query: string, body?: unknown) => {
      const [real, unreal] = await Promise.all([
        answer(actor, method, fill(path, there) + query, body),
        answer(actor, method, fill(path, notThere) + query, body),
      ]);
      expect(real, `${who}: ${method} ${path}${query} ${JSON.stringify(body)}`).toEqual(unreal);
    };
    for (const [who, actor] of await others()) {
      for (const route of routes) {
        const bodies = route.method === 'GET' ? [undefined] : [undefined, bodyFor(route), '{'];
        const queries = ['', '?share=guessed', ...keysOf(route.query).map((key) => `?${key}=1`)];
        await Promise.all(bodies.map((body) => compareOne(who, actor, route.method, '', body)));
        await Promise.all(queries.map((query) => compareOne(who, actor, route.method, query)));
      }
    }
    for (const method of METHODS) await compareOne('somebody', service.anonymous, method, '');
  }

  test.each(paths)('%s in a hidden namespace', async (path) => {
    await compare(path, hidden, missing);
  });

  test.each(paths.filter((path) => parameterNames(path).length > 1))(
    '%s in a visible namespace',
    async (path) => {
      await compare(path, hiddenInVisible, {
        ...missing,
        namespace: VISIBLE_NAMESPACE,
      });
    },
  );

  test('none of these requests changed anything', async () => {
    for (const namespace of [HIDDEN_NAMESPACE, VISIBLE_NAMESPACE]) {
      const releases = await olga.get<{ total: number }>(
        `/namespaces/${namespace}/libraries/secret/releases`,
      );
      expect(releases.body.total).toBe(1);
      const library = await olga.get(`/namespaces/${namespace}/libraries/secret`);
      expect(library.body).toMatchObject({ revision: 1, visibility: 'private', shareToken: null });
      expect((await olga.get(`/namespaces/${namespace}/members`)).body).toEqual({
        members: [{ userName: 'olga', role: 'owner' }],
      });
      expect((await olga.get(`/namespaces/${namespace}/projects/lab`)).status).toBe(200);
    }
  });
});

/** What a caller can compare: status, headers and body, without what differs between any two requests. */
async function answer(actor: Actor, method: string, path: string, body: unknown) {
  const {
    status,
    headers,
    body: answered,
  } = await actor.send<Record<string, unknown> | null>(method, path, body);
  const { 'x-request-id': _, date: __, ...comparable } = Object.fromEntries(headers);
  return { status, headers: comparable, body: answered && { ...answered, requestId: '(any)' } };
}
