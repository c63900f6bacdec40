import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { MACHINE } from '../../src/access/viewer.ts';
import { changeUser } from '../../src/administration/users.ts';
import type { Actor, ApiResponse } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';

describe.each(databases)('namespaces over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let bob: Actor;
  let stranger: Actor;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    bob = await service.member('bob');
    stranger = await service.stranger();
  });
  afterAll(() => service.close());

  async function team(slug: string, ...owners: string[]): Promise<string> {
    await ada.post('/namespaces', { slug });
    for (const owner of owners) await ada.put(`/namespaces/${slug}/members/${owner}`, { role: 'owner' });
    return `/namespaces/${slug}`;
  }

  test('every account has a personal namespace named after it', async () => {
    expect((await ada.get('/namespaces/ada')).body).toEqual({
      slug: 'ada',
      displayName: 'ada',
      kind: 'personal',
      viewerRole: 'owner',
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
    });
  });

  test('an owner creates, renames, lists and deletes a team namespace', async () => {
    const made = await ada.post('/namespaces', { slug: 'robots', displayName: 'Robot lab' });
    expect(made).toMatchObject({
      status: 201,
      body: { slug: 'robots', displayName: 'Robot lab', kind: 'team', viewerRole: 'owner' },
    });
    expect(await ada.patch('/namespaces/robots', { displayName: 'Robots' })).toMatchObject({
      status: 200,
      body: { displayName: 'Robots' },
    });
    const { body } = await ada.get<{ namespaces: { slug: string }[] }>('/namespaces');
    expect(body.namespaces.map(({ slug }) => slug)).toEqual(['ada', 'robots']);
    expect((await ada.delete('/namespaces/robots')).status).toBe(204);
    expect((await ada.get('/namespaces/robots')).status).toBe(404);
    expect((await ada.delete('/namespaces/robots')).status).toBe(404);
  });

  test('a slug can be used only once, by a team or a person, even in a race', async () => {
    await team('taken');
    for (const slug of ['taken', 'ada']) {
      const answer = await bob.post('/namespaces', { slug });
      expect(answer).toMatchObject({ status: 409, body: { error: 'slug_taken' } });
    }
    const race = await Promise.all([1, 2, 3, 4].map(() => bob.post('/namespaces', { slug: 'raced' })));
    expect(race.map(({ status }) => status).toSorted()).toEqual([201, 409, 409, 409]);
  });

  test.each([
    [{ slug: 'Upper' }, '/slug'],
    [{ slug: '-x' }, '/slug'],
    [{ slug: 'a'.repeat(40) }, '/slug'],
    [{ slug: 'ok', displayName: ' ' }, '/displayName'],
    [{ slug: 'ok', owner: 'bob' }, '/owner'],
    [{}, '/slug'],
  ])('creating a namespace with %j is rejected, naming the invalid parameter', async (body, parameter) => {
    expect(await ada.post('/namespaces', body)).toMatchObject({
      status: 400,
      body: { error: 'invalid_parameter', parameter },
    });
  });

  test('a personal namespace cannot be deleted', async () => {
    expect((await ada.delete('/namespaces/ada')).status).toBe(403);
    expect((await ada.get('/namespaces/ada')).status).toBe(200);
  });

  test('a namespace with a library in the Trash cannot be deleted', async () => {
    const path = await team('full');
    await insertLibrary('full', 'private', 'deleted');
    expect(await ada.delete(path)).toMatchObject({ status: 409, body: { error: 'namespace_not_empty' } });
    expect((await ada.get(path)).status).toBe(200);
  });

  test('only owners add and remove members, but a member can leave', async () => {
    const path = await team('crew');
    expect(await ada.put(`${path}/members/bob`, { role: 'member' })).toMatchObject({
      status: 200,
      body: { userName: 'bob', role: 'member' },
    });
    expect((await bob.get(`${path}/members`)).body).toEqual({
      members: [
        { userName: 'ada', role: 'owner' },
        { userName: 'bob', role: 'member' },
      ],
    });
    expect((await bob.put(`${path}/members/stranger`, { role: 'member' })).status).toBe(403);
    expect((await bob.delete(`${path}/members/ada`)).status).toBe(403);
    expect((await bob.patch(path, { displayName: 'Mine' })).status).toBe(403);
    expect((await bob.delete(path)).status).toBe(403);
    expect((await bob.delete(`${path}/members/bob`)).status).toBe(204);
    expect((await bob.get(`${path}/members`)).status).toBe(404);
    for (const name of ['bob', 'nobody']) {
      expect((await ada.delete(`${path}/members/${name}`)).status).toBe(204);
    }
    expect((await ada.put(`${path}/members/nobody`, { role: 'member' })).status).toBe(404);
    expect((await ada.put(`${path}/members/bob`, { role: 'king' })).status).toBe(400);
  });

  test('the last owner can neither leave nor be demoted', async () => {
    const path = await team('lone');
    const refusals = [
      await ada.delete(`${path}/members/ada`),
      await ada.put(`${path}/members/ada`, { role: 'member' }),
    ];
    for (const refusal of refusals) {
      expect(refusal).toMatchObject({ status: 409, body: { error: 'last_owner' } });
    }
    await ada.put(`${path}/members/bob`, { role: 'owner' });
    expect((await ada.delete(`${path}/members/ada`)).status).toBe(204);
    expect((await bob.get(`${path}/members`)).body).toEqual({
      members: [{ userName: 'bob', role: 'owner' }],
    });
  });

  test('if both owners give up ownership at once, one of them stays owner', async () => {
    for (let round = 0; round < rounds({ short: 10, long: 300 }); round++) {
      const path = await team(`duel-${round}`, 'bob');
      const answers = await Promise.all([
        ada.delete(`${path}/members/ada`),
        bob.put(`${path}/members/bob`, { role: 'member' }),
      ]);
      expect(answers.map(({ status }) => status).toSorted()).toEqual([expect.any(Number), 409]);
    }
  });

  test('a second owner cannot remove a person from their personal namespace', async () => {
    await ada.put('/namespaces/ada/members/bob', { role: 'owner' });
    expect(await bob.delete('/namespaces/ada/members/ada')).toMatchObject({ status: 409 });
    expect((await ada.delete('/namespaces/ada/members/bob')).status).toBe(204);
  });

  test('a namespace in which the viewer can read nothing responds exactly like a missing one', async () => {
    await team('hidden');
    await insertLibrary('hidden', 'private');
    const requests: [method: string, path: string, body?: unknown][] = [
      ['GET', ''],
      ['HEAD', ''],
      ['PATCH', '', { displayName: 'x' }],
      ['PATCH', '', { nonsense: true }],
      ['DELETE', ''],
      ['GET', '/members'],
      ['PUT', '/members/bob', { role: 'owner' }],
      ['PUT', '/members/bob', 'no JSON'],
      ['DELETE', '/members/stranger'],
      ['DELETE', '/members/ada'],
    ];
    const reader = await service.token('stranger', { scope: 'read' });
    for (const who of [service.anonymous, stranger, reader]) {
      for (const [method, path, body] of requests) {
        const hidden = await who.send(method, `/namespaces/hidden${path}`, body);
        const missing = await who.send(method, `/namespaces/absent${path}`, body);
        expect(comparable(hidden), `${method} ${path}`).toEqual(comparable(missing));
        expect(hidden.status).toBe(
          who === service.anonymous && ((method !== 'GET' && method !== 'HEAD') || path) ? 401 : 404,
        );
      }
    }
  });

  test('a namespace with a public library is visible to everyone, but its members are not', async () => {
    await team('open');
    await insertLibrary('open', 'public');
    expect((await service.anonymous.get('/namespaces/open')).body).toMatchObject({ viewerRole: null });
    expect((await stranger.get('/namespaces/open/members')).status).toBe(403);
    expect((await stranger.patch('/namespaces/open', { displayName: 'x' })).status).toBe(403);
    expect((await service.anonymous.get('/namespaces/open/members')).status).toBe(401);
  });

  function comparable({ status, headers, body }: ApiResponse<unknown>) {
    const { requestId: _body, ...rest } = (body ?? {}) as Record<string, unknown>;
    const { 'x-request-id': _header, date: _date, ...others } = Object.fromEntries(headers);
    return { status, body: rest, headers: others };
  }

  async function insertLibrary(
    slug: string,
    visibility: 'private' | 'public',
    state: 'active' | 'deleted' = 'active',
  ) {
    const { db } = service.context;
    const { id } = await db
      .selectFrom('namespaces')
      .select('id')
      .where('slug', '=', slug)
      .executeTakeFirstOrThrow();
    const counts = { asset_count: 0, file_count: 0, total_bytes: 0, manifest_size: 0 };
    const lists = { tags: '[]', categories: '[]', kinds: '[]', licenses: '[]' };
    await db
      .insertInto('libraries')
      .values({
        ...counts,
        ...lists,
        id: `library-of-${slug}`,
        namespace_id: id,
        name: 'arms',
        store_id: `store-of-${slug}`,
        state,
        revision: 1,
        changes: 1,
        visibility,
        type: '3d',
        manifest_sha256: '0'.repeat(64),
        index_sha256: '0'.repeat(64),
        created_at: 0,
        updated_at: 0,
      })
      .execute();
  }
});

test.each(databases)(
  'an account can create a limited number of namespaces, even in a race; operators any number, over $name',
  async ({ open }) => {
    const service = await startService({ database: await open(), configuration: { maxNamespaces: 2 } });
    try {
      const bo = await service.member('bo');
      const raced = await Promise.all(['a', 'b', 'c', 'd'].map((slug) => bo.post('/namespaces', { slug })));
      expect(raced.map(({ status }) => status).toSorted()).toEqual([201, 201, 409, 409]);
      const refused = await bo.post('/namespaces', { slug: 'more' });
      expect(refused.body).toMatchObject({
        error: 'too_many_namespaces',
        message:
          'An account can create 2 namespaces. Delete one of yours, or ask an operator to create another for you.',
      });
      const mine = raced.find(({ status }) => status === 201)?.body.slug;
      expect((await bo.delete(`/namespaces/${mine}`)).status).toBe(204);
      expect((await bo.post('/namespaces', { slug: 'more' })).status).toBe(201);

      const ada = await service.member('ada');
      await changeUser(service.context, MACHINE, { userName: 'ada' }, { operator: true });
      for (const slug of ['x', 'y', 'z']) expect((await ada.post('/namespaces', { slug })).status).toBe(201);
    } finally {
      await service.close();
    }
  },
);
