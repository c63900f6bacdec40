import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';

interface Identified {
  id: string;
}

describe.each(databases)('$name: Notes and Bindrs', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let bob: Actor;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    bob = await service.member('bob');
    for (const displayName of ['Open', 'Closed', 'Lent']) {
      const visibility = displayName === 'Open' ? 'public' : 'private';
      await ada.post('/namespaces/ada/projects', { displayName, visibility });
    }
    await ada.put('/namespaces/ada/projects/lent/grants/bob', { role: 'writer' });
  });
  afterAll(() => service.close());

  async function newNote(input: Record<string, unknown>): Promise<string> {
    const made = await ada.post<Identified>('/namespaces/ada/notes', input);
    expect(made.status).toBe(201);
    return made.body.id;
  }

  test('a public Note shows its public projects to everyone, and its private ones only to their readers', async () => {
    const id = await newNote({ name: 'Mug', visibility: 'public', projects: ['open', 'closed'] });
    const path = `/namespaces/ada/resources/note/${id}/projects`;
    const slugs = async (actor: Actor) => {
      const { body } = await actor.get<{ nodes: { project: { slug: string } }[]; total: number }>(
        `${path}?view=nodes`,
      );
      expect(body.total).toBe(body.nodes.length);
      return body.nodes.map(({ project }) => project.slug);
    };
    expect(await slugs(service.anonymous)).toEqual(['open']);
    expect(await slugs(ada)).toEqual(['closed', 'open']);
    expect((await service.anonymous.get(path)).status).toBe(401);
    expect((await bob.get(path)).body).toMatchObject({
      projects: [
        { slug: 'lent', bound: false, canBind: true },
        { slug: 'open', bound: true, canBind: false },
      ],
    });
  });

  test('hidden Notes and projects are 404 even for requests with invalid parameters', async () => {
    const note = await newNote({ name: 'Diary', projects: ['closed'] });
    const associations = `/namespaces/ada/resources/note/${note}/projects`;
    const bindrs = '/namespaces/ada/projects/closed/bindrs';
    for (const path of [
      `${associations}?view=tree`,
      `${bindrs}?view=tree`,
      `${bindrs}?view=choices&first=0`,
    ]) {
      expect((await service.anonymous.get(path)).status).toBe(404);
      expect((await ada.get(path)).body).toMatchObject({ error: 'invalid_parameter' });
    }
  });

  test('a private Note in a public project is hidden from non-members', async () => {
    const id = await newNote({ name: 'Diary', projects: ['open'] });
    expect((await service.anonymous.get(`/namespaces/ada/notes/${id}`)).status).toBe(404);
    expect((await bob.get(`/namespaces/ada/notes/${id}`)).status).toBe(404);
    expect((await ada.get(`/namespaces/ada/notes/${id}`)).status).toBe(200);
  });

  test('a non-member creates Notes only in projects granted for writing, and cannot unfile them from the last', async () => {
    expect((await bob.post('/namespaces/ada/notes', { name: 'No place' })).status).toBe(403);
    expect((await bob.post('/namespaces/ada/notes', { name: 'x', projects: ['closed'] })).status).toBe(404);
    expect((await bob.post('/namespaces/ada/notes', { name: 'x', projects: ['open'] })).status).toBe(403);
    const made = await bob.post<Identified>('/namespaces/ada/notes', { name: 'Ours', projects: ['lent'] });
    expect(made).toMatchObject({ status: 201, body: { viewerCanWrite: true } });
    const last = await bob.delete(`/namespaces/ada/resources/note/${made.body.id}/projects/lent`);
    expect(last).toMatchObject({ status: 409, body: { error: 'last_project' } });
  });

  test('of two concurrent removals of the last two projects of a Note, one is refused', async () => {
    const id = await newNote({ name: 'Torn', projects: ['open', 'closed'] });
    const removals = await Promise.all(
      ['open', 'closed'].map((slug) => ada.delete(`/namespaces/ada/resources/note/${id}/projects/${slug}`)),
    );
    expect(removals.map(({ status }) => status).sort()).toEqual([204, 409]);
  });

  test('Bindrs nest without cycles and tag only Nodes of their own project', async () => {
    const bindrs = '/namespaces/ada/projects/closed/bindrs';
    const make = async (name: string, parentId?: string) =>
      (await ada.post<Identified>(bindrs, { name, ...(parentId ? { parentId } : {}) })).body.id;
    const tools = await make('tools');
    const hammers = await make('hammers', tools);
    const elsewhere = await ada.post<Identified>('/namespaces/ada/projects/open/bindrs', { name: 'far' });

    expect(await ada.patch(`${bindrs}/${tools}`, { parentId: hammers })).toMatchObject({
      status: 409,
      body: { error: 'bindr_cycle' },
    });
    expect(await ada.patch(`${bindrs}/${tools}`, { parentId: elsewhere.body.id })).toMatchObject({
      status: 400,
      body: { parameter: '/parentId' },
    });
    expect((await ada.get(bindrs)).body).toMatchObject({
      bindrs: [{ name: 'tools', parentId: null, children: [{ name: 'hammers', children: [] }] }],
    });

    const noteId = await newNote({ name: 'Nail', projects: ['closed', 'open'] });
    const { body } = await ada.get<{ nodes: { id: string; project: { slug: string } }[] }>(
      `/namespaces/ada/resources/note/${noteId}/projects?view=nodes`,
    );
    const nodeIn = (slug: string) => body.nodes.find(({ project }) => project.slug === slug)?.id;
    expect((await ada.put(`${bindrs}/${hammers}/members/${nodeIn('closed')}`)).status).toBe(200);
    expect((await ada.put(`${bindrs}/${hammers}/members/${nodeIn('open')}`)).status).toBe(404);
    const tagged = await ada.get(`/namespaces/ada/resources/note/${noteId}/projects?view=nodes`);
    expect(tagged.body).toMatchObject({
      nodes: [
        { project: { slug: 'closed' }, path: ',', bindrs: [{ id: hammers, parentId: tools }] },
        { project: { slug: 'open' }, bindrs: [] },
      ],
    });

    expect((await ada.delete(`${bindrs}/${tools}`)).status).toBe(409);
    expect((await ada.delete(`${bindrs}/${tools}?recursive=true`)).status).toBe(204);
    expect((await ada.get(bindrs)).body).toEqual({ bindrs: [] });
  });

  test('of two concurrent moves that would together create a cycle of Bindrs, one is refused', async () => {
    const bindrs = '/namespaces/ada/projects/lent/bindrs';
    const [left, right] = await Promise.all(
      ['left', 'right'].map(async (name) => (await ada.post<Identified>(bindrs, { name })).body.id),
    );
    const moves = await Promise.all([
      ada.patch(`${bindrs}/${left}`, { parentId: right }),
      ada.patch(`${bindrs}/${right}`, { parentId: left }),
    ]);
    expect(moves.map(({ status }) => status).sort()).toEqual([200, 409]);
  });

  test('a write that races the revocation of its grant either happens completely or gets 404', async () => {
    await ada.post('/namespaces/ada/projects', { displayName: 'Brief' });
    const project = '/namespaces/ada/projects/brief';
    for (let round = 0; round < rounds({ short: 10, long: 300 }); round++) {
      await ada.put(`${project}/grants/bob`, { role: 'writer' });
      const [made, revoked] = await Promise.all([
        bob.post<Identified>(`${project}/bindrs`, { name: `round ${round}` }),
        ada.delete(`${project}/grants/bob`),
      ]);
      expect(revoked.status).toBe(204);
      expect([201, 404]).toContain(made.status);
      const { body } = await ada.get(`${project}/bindrs?view=choices&search=round%20${round}`);
      expect(body).toMatchObject({ nodes: made.status === 201 ? [{ id: made.body.id }] : [] });
      expect((await bob.post(`${project}/bindrs`, { name: 'late' })).status).toBe(404);
    }
  });

  test('Bindr choices page by cursor without gaps or repeats while others are added', async () => {
    await ada.post('/namespaces/ada/projects', { displayName: 'Many' });
    const bindrs = '/namespaces/ada/projects/many/bindrs';
    const names = Array.from({ length: 25 }, (_, index) => `b${String(index).padStart(2, '0')}`);
    for (const name of names) await ada.post(bindrs, { name });
    const seen: string[] = [];
    let after = '';
    do {
      const { body } = await ada.get<{
        nodes: { name: string }[];
        pageInfo: { endCursor: string; hasNextPage: boolean };
      }>(`${bindrs}?view=choices&first=10${after}`);
      seen.push(...body.nodes.map(({ name }) => name));
      await ada.post(bindrs, { name: 'a-before' });
      after = body.pageInfo.hasNextPage ? `&after=${encodeURIComponent(body.pageInfo.endCursor)}` : '';
    } while (after !== '');
    expect(seen).toEqual(names);
  });

  test('a page of Bindr choices includes the ancestors of its Bindrs if requested', async () => {
    await ada.post('/namespaces/ada/projects', { displayName: 'Deep' });
    const bindrs = '/namespaces/ada/projects/deep/bindrs';
    const newBindr = async (name: string, parentId?: string) =>
      (await ada.post<Identified>(bindrs, { name, parentId })).body.id;
    const robots = await newBindr('robots');
    const arms = await newBindr('arms', robots);
    await newBindr('gripper', arms);
    await newBindr('grasp', robots);
    const page = async (query: string) => {
      const { body } = await ada.get<{ nodes: { name: string }[]; ancestors?: { name: string }[] }>(
        `${bindrs}?view=choices&${query}`,
      );
      const names = (list: { name: string }[] | undefined) => list?.map(({ name }) => name).sort();
      return { nodes: names(body.nodes), ancestors: names(body.ancestors) };
    };
    expect(await page('search=gr')).toEqual({ nodes: ['grasp', 'gripper'], ancestors: undefined });
    expect(await page('search=gr&ancestors=true')).toEqual({
      nodes: ['grasp', 'gripper'],
      ancestors: ['arms', 'robots'],
    });
    expect(await page('ancestors=true')).toMatchObject({ ancestors: [] });
    expect(await page('ancestors=true&first=1')).toEqual({ nodes: ['arms'], ancestors: ['robots'] });
    expect((await ada.get(`${bindrs}?view=choices&ancestors=yes`)).body.parameter).toBe('ancestors');
  });

  test('Notes can be listed by project, and a hidden project gets the same 404 as a missing one', async () => {
    for (const displayName of ['Shown', 'Hidden']) {
      const visibility = displayName === 'Shown' ? 'public' : 'private';
      await ada.post('/namespaces/ada/projects', { displayName, visibility });
    }
    await newNote({ name: 'Both', visibility: 'public', projects: ['shown', 'hidden'] });
    await newNote({ name: 'Only shown', projects: ['shown'] });
    await newNote({ name: 'Nowhere' });
    const list = async (actor: Actor, query: string) => {
      const { body } = await actor.get<{ notes: { name: string }[]; total: number }>(
        `/namespaces/ada/notes?${query}`,
      );
      expect(body.total).toBe(body.notes.length);
      return body.notes.map(({ name }) => name);
    };
    expect(await list(ada, 'project=shown')).toEqual(['Both', 'Only shown']);
    expect(await list(ada, 'project=shown&search=only')).toEqual(['Only shown']);
    expect(await list(ada, 'project=hidden')).toEqual(['Both']);
    expect(await list(service.anonymous, 'project=shown')).toEqual(['Both']);
    const answer = async (project: string) => {
      const { status, body } = await service.anonymous.get(`/namespaces/ada/notes?project=${project}`);
      return { status, error: body.error, message: body.message };
    };
    expect(await answer('hidden')).toEqual(await answer('missing'));
    expect((await answer('hidden')).status).toBe(404);
  });

  test('a damaged, foreign or expired cursor is refused', async () => {
    const bindrs = '/namespaces/ada/projects/lent/bindrs';
    await ada.post(bindrs, { name: 'one' });
    const { body } = await ada.get<{ pageInfo: { endCursor: string } }>(`${bindrs}?view=choices&first=1`);
    const cursor = body.pageInfo.endCursor;
    const statusOf = async (query: string) => (await ada.get(`${bindrs}?view=choices&${query}`)).body.error;
    expect(await statusOf(`first=1&after=${cursor}`)).toBeUndefined();
    expect(await statusOf(`search=x&after=${cursor}`)).toBe('invalid_cursor');
    expect(await statusOf(`after=${cursor.slice(0, -1)}`)).toBe('invalid_cursor');
    expect(await statusOf(`after=${cursor}.x`)).toBe('invalid_cursor');
    const elsewhere = '/namespaces/ada/projects/open/bindrs';
    const foreign = () => ada.get(`${elsewhere}?view=choices&after=${cursor}`);
    expect((await foreign()).body.error).toBe('invalid_cursor');
    await ada.post(elsewhere, { name: 'two' });
    expect((await foreign()).body.error).toBe('invalid_cursor');
    service.advance(25 * 60 * 60);
    expect(await statusOf(`first=1&after=${cursor}`)).toBe('invalid_cursor');
  });

  test('a project without Bindrs has an empty page; a hidden one is 404 like a missing one, for any query', async () => {
    await ada.post('/namespaces/ada/projects', { displayName: 'Bare' });
    const bindrs = '/namespaces/ada/projects/bare/bindrs?view=choices';
    expect((await ada.get(bindrs)).body).toEqual({
      nodes: [],
      pageInfo: { endCursor: null, hasNextPage: false },
    });
    for (const wrong of ['', '&first=0', '&after=nonsense']) {
      const hidden = await service.anonymous.get(bindrs + wrong);
      const missing = await service.anonymous.get(bindrs.replace('bare', 'gone') + wrong);
      expect([hidden.status, missing.status]).toEqual([404, 404]);
      expect({ ...hidden.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
    }
  });

  test('the Bindrs of a Node are sorted by the UTF-8 bytes of their names', async () => {
    const id = await newNote({ name: 'Tagged', projects: ['lent'] });
    const path = `/namespaces/ada/resources/note/${id}/projects?view=nodes`;
    interface Nodes {
      nodes: { id: string; bindrs: { name: string }[] }[];
    }
    const [node] = (await ada.get<Nodes>(path)).body.nodes;
    for (const name of ['z', '\u{1F3FA}', '\uFB01', 'Z', 'ä']) {
      const made = await ada.post<Identified>('/namespaces/ada/projects/lent/bindrs', { name });
      await ada.put(`/namespaces/ada/projects/lent/bindrs/${made.body.id}/members/${node?.id}`);
    }
    const [tagged] = (await ada.get<Nodes>(path)).body.nodes;
    expect(tagged?.bindrs.map(({ name }) => name)).toEqual(['Z', 'z', 'ä', '\uFB01', '\u{1F3FA}']);
  });
});
