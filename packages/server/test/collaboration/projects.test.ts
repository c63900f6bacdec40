import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';

describe.each(databases)('$name: projects', ({ open }) => {
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

  test('a member creates a project with a slug from its name and is its admin', async () => {
    const made = await ada.post('/namespaces/ada/projects', { displayName: 'Kitchen Übersicht' });
    expect(made.status).toBe(201);
    expect(made.body).toMatchObject({
      slug: 'kitchen-ubersicht',
      displayName: 'Kitchen Übersicht',
      visibility: 'private',
      permissions: { role: 'admin', content: { read: true, create: true, delete: true } },
    });
    const again = await ada.post('/namespaces/ada/projects', { displayName: 'Kitchen Übersicht' });
    expect(again.body).toMatchObject({ slug: 'kitchen-ubersicht-2' });
    const taken = await ada.post('/namespaces/ada/projects', { displayName: 'x', slug: 'kitchen-ubersicht' });
    expect(taken).toMatchObject({ status: 409, body: { error: 'slug_taken' } });
  });

  test('a private project and its namespace are 404 for strangers', async () => {
    await ada.post('/namespaces/ada/projects', { displayName: 'Secret' });
    for (const actor of [stranger, service.anonymous]) {
      const hidden = await actor.get('/namespaces/ada/projects/secret');
      const missing = await actor.get('/namespaces/ada/projects/nothing');
      expect(hidden.status).toBe(404);
      expect({ ...hidden.body, requestId: '' }).toEqual({ ...missing.body, requestId: '' });
      expect((await actor.get('/namespaces/ada/projects')).status).toBe(404);
    }
  });

  test('a grant gives access to one project, a stronger role gives more, and revoking it hides the project again', async () => {
    await ada.post('/namespaces/ada/projects', { displayName: 'Shared' });
    const path = '/namespaces/ada/projects/shared';
    expect(await ada.put(`${path}/grants/bob`, { role: 'reader' })).toMatchObject({
      status: 200,
      body: { userName: 'bob', role: 'reader' },
    });
    expect((await bob.get(path)).body).toMatchObject({ permissions: { role: 'reader' } });
    expect((await bob.get('/namespaces/ada/projects')).body).toMatchObject({ total: 1, canCreate: false });
    expect((await bob.patch(path, { displayName: 'Mine' })).status).toBe(403);
    expect((await bob.get(`${path}/grants`)).status).toBe(403);

    await ada.put(`${path}/grants/bob`, { role: 'admin' });
    expect((await bob.patch(path, { displayName: 'Ours' })).body).toMatchObject({ displayName: 'Ours' });
    expect((await ada.get(`${path}/grants`)).body).toEqual({
      grants: [
        { userName: 'ada', role: 'admin' },
        { userName: 'bob', role: 'admin' },
      ],
    });

    expect((await ada.delete(`${path}/grants/bob`)).status).toBe(204);
    expect((await ada.delete(`${path}/grants/bob`)).status).toBe(204);
    expect((await bob.get(path)).status).toBe(404);
  });

  test.each([
    ['/namespaces/Not A Slug/projects', 'namespace'],
    ['/namespaces/ada/projects/UPPER', 'projectSlug'],
    ['/namespaces/ada/notes/not an id', 'noteId'],
    ['/namespaces/ada/projects?page=0', 'page'],
  ])('%s is refused, naming the parameter %s', async (path, parameter) => {
    expect(await ada.get(encodeURI(path))).toMatchObject({
      status: 400,
      body: { error: 'invalid_parameter', parameter },
    });
  });

  test('an unknown role is refused and grants nothing', async () => {
    await ada.post('/namespaces/ada/projects', { displayName: 'Roles' });
    const grants = '/namespaces/ada/projects/roles/grants';
    const refused = await ada.put(`${grants}/bob`, { role: 'king' });
    expect(refused).toMatchObject({ status: 400, body: { parameter: '/role' } });
    expect((await ada.get(grants)).body).toEqual({ grants: [{ userName: 'ada', role: 'admin' }] });
  });

  test('the project catalog is paged by name and searched literally, ignoring letter case', async () => {
    for (const displayName of ['50% off', '500 off', 'Ähre', 'zebra']) {
      await bob.post('/namespaces/bob/projects', { displayName, visibility: 'public' });
    }
    const names = async (query: string) => {
      const { body } = await stranger.get<{ projects: { displayName: string }[] }>(
        `/namespaces/bob/projects?${query}`,
      );
      return body.projects.map(({ displayName }) => displayName);
    };
    expect(await names('search=50%25')).toEqual(['50% off']);
    expect(await names(`search=${encodeURIComponent('äHRE')}`)).toEqual(['Ähre']);
    expect(await names('pageSize=3')).toEqual(['50% off', '500 off', 'zebra']);
    expect(await names('pageSize=3&page=2')).toEqual(['Ähre']);
    const behind = await stranger.get('/namespaces/bob/projects?pageSize=3&page=3');
    expect(behind.body).toMatchObject({ projects: [], total: 4, totalPages: 2 });
    const nothing = await stranger.get('/namespaces/bob/projects?search=nothing');
    expect(nothing.body).toMatchObject({ projects: [], total: 0, totalPages: 0 });
    const refused = await stranger.get('/namespaces/bob/projects?pageSize=201');
    expect(refused).toMatchObject({
      status: 400,
      body: { error: 'invalid_parameter', parameter: 'pageSize' },
    });
  });
});
