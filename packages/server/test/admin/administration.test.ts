import { randomUUID } from 'node:crypto';
import { type AccountNamespace, type AdministeredUser, allRoutes } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { manifestOf, Publisher } from '../libraries/publisher.ts';
import { bodyFor, fill } from '../routes/fill.ts';
import { startService, type TestService } from '../service.ts';
import { operator, signedIn } from './operators.ts';

const HOUR = 3_600;

describe.each(databases)('the admin API over $name', ({ open }) => {
  let service: TestService;
  let olga: Actor;
  let people = 0;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    olga = await operator(service, 'olga');
  });
  afterAll(() => service.close());

  const newcomer = () => `person-${++people}`;

  test('returns 404, as for an unknown path, to everyone except operators who signed in', async () => {
    const others: Record<string, Actor> = {
      'nobody signed in': service.anonymous,
      'a member who signed in': await signedIn(service, 'stranger'),
      'an operator with a personal token': await service.member('olga'),
    };
    const routes = allRoutes.filter(({ path }) => path.startsWith('/admin/'));
    expect(routes.length).toBeGreaterThan(9);
    for (const [who, actor] of Object.entries(others)) {
      for (const { method, path, ...route } of routes) {
        const body =
          method === 'GET' || method === 'DELETE' ? undefined : bodyFor({ method, path, ...route });
        const named = fill(path, {
          userName: 'olga',
          namespace: 'olga',
          webhookId: 'any',
          invitationId: 'any',
          deliveryId: 'any',
        });
        const [there, none] = [
          await actor.send<Record<string, unknown>>(method, named, body),
          await actor.send<Record<string, unknown>>(method, `/adminx${named}`, body),
        ];
        const shown = ({ status, body: answered }: typeof there) => ({ status, ...answered, requestId: '' });
        expect(shown(there), `${who}: ${method} ${path}`).toEqual(shown(none));
        expect(there.status).toBe(404);
      }
    }
  });

  test('rejects the token of an operator as soon as the operator role is removed', async () => {
    const pia = await operator(service, 'pia');
    expect((await pia.get('/admin/users')).status).toBe(200);
    const { body } = await olga.patch('/admin/users/pia', { operator: false });
    expect(body).toMatchObject({ userName: 'pia', isOperator: false });
    expect((await pia.get('/admin/users')).status).toBe(404);
  });

  test('shows an operator the totals of a namespace, but not the namespace itself or its private libraries', async () => {
    const ada = await service.member('ada');
    await new Publisher(ada, 'ada', 'secret').publish({ 'a/b.txt': 'x' });
    const inspected = await olga.get('/admin/namespaces/ada');
    expect(inspected.body).toMatchObject({ slug: 'ada', libraries: 1, files: 1 });
    expect((await olga.get('/namespaces/ada/libraries/secret')).status).toBe(404);
    expect((await olga.get('/namespaces/ada/libraries/secret/manifest')).status).toBe(404);
    expect((await olga.get('/namespaces/ada')).status).toBe(404);
  });

  test('finds accounts by user name or e-mail address in any letter case, in pages', async () => {
    const mark = randomUUID().slice(0, 8);
    for (const at of [1, 2, 3]) await service.member(`find-${mark}-${at}`);
    const page = (query: string) =>
      olga.get<{ users: { userName: string }[]; total: number }>(`/admin/users?${query}`);
    const { body: first } = await page(`search=FIND-${mark}&pageSize=2`);
    expect(first).toMatchObject({ total: 3, totalPages: 2 });
    expect(first.users.map(({ userName }) => userName)).toEqual([`find-${mark}-1`, `find-${mark}-2`]);
    const { body: second } = await page(`search=${mark}-3@example.org`);
    expect(second.users.map(({ userName }) => userName)).toEqual([`find-${mark}-3`]);
    expect((await page('search=%25')).body.total).toBe(0);
  });

  test('disables an account and enables it again', async () => {
    const name = newcomer();
    const person = await service.member(name);
    expect((await olga.patch(`/admin/users/${name}`, { disabled: true })).body).toMatchObject({
      disabledAt: expect.any(String),
    });
    expect((await person.get('/namespaces')).status).toBe(401);
    expect((await olga.patch(`/admin/users/${name}`, { disabled: false })).body).toMatchObject({
      disabledAt: null,
    });
    expect((await person.get('/namespaces')).status).toBe(200);
    expect((await olga.patch(`/admin/users/${name}`, {})).status).toBe(400);
    expect((await olga.patch('/admin/users/nobody-there', { disabled: true })).status).toBe(404);
  });

  test('shows what deleting an account does to its namespaces, and hands libraries over instead of deleting them', async () => {
    const [name, other, heir] = [newcomer(), newcomer(), newcomer()];
    const [person] = [await service.member(name), await service.member(other), await service.member(heir)];
    for (const slug of ['alone', 'empty', 'shared'])
      await person.post('/namespaces', { slug: `${slug}-${name}` });
    await person.put(`/namespaces/shared-${name}/members/${other}`, { role: 'owner' });
    await person.put(`/namespaces/alone-${name}/members/${other}`, { role: 'member' });
    const library = await new Publisher(person, name, 'robots').publish({ 'a/b.txt': 'x' });

    const { body } = await olga.get<{ namespaces: AccountNamespace[] }>(`/admin/users/${name}`);
    expect(Object.fromEntries(body.namespaces.map(({ slug, onDeletion }) => [slug, onDeletion]))).toEqual({
      [`alone-${name}`]: 'handedOver',
      [`empty-${name}`]: 'deleted',
      [name]: 'handedOver',
      [`shared-${name}`]: 'left',
    });
    const refused = await olga.delete(`/admin/users/${name}`);
    expect(refused).toMatchObject({
      status: 409,
      body: { error: 'namespace_not_empty', namespaces: [`alone-${name}`, name] },
    });
    for (const wrong of [name, 'nobody-there']) {
      expect((await olga.delete(`/admin/users/${name}?handOverTo=${wrong}`)).body).toMatchObject({
        error: 'invalid_parameter',
      });
    }
    expect((await person.get(`/namespaces/${name}/libraries/robots`)).status).toBe(200);

    expect((await olga.delete(`/admin/users/${name}?handOverTo=${heir}`)).status).toBe(204);
    expect((await person.get('/namespaces')).status).toBe(401);
    expect((await olga.get(`/admin/users/${name}`)).status).toBe(404);
    const asHeir = await service.member(heir);
    expect((await asHeir.get(`/namespaces/${name}/libraries/robots`)).body).toMatchObject({ revision: 1 });
    expect((await asHeir.get(`/namespaces/${name}`)).body).toMatchObject({
      kind: 'team',
      viewerRole: 'owner',
    });
    expect((await asHeir.get(`/namespaces/alone-${name}`)).body).toMatchObject({ viewerRole: 'owner' });
    expect((await olga.get(`/admin/namespaces/empty-${name}`)).status).toBe(404);
    expect((await olga.get(`/admin/namespaces/shared-${name}`)).body).toMatchObject({ members: 1 });
    expect(library).toBeDefined();
  });

  test("leaves another person's personal namespace as it is if a co-owner of it is deleted", async () => {
    const [owner, other] = ['owner-of-own', 'co-owner'];
    const person = await service.member(owner);
    await service.member(other);
    await olga.post(`/admin/namespaces/${owner}/hand-over`, { to: other });
    const { body } = await olga.get<{ namespaces: AccountNamespace[] }>(`/admin/users/${other}`);
    expect(body.namespaces).toContainEqual(expect.objectContaining({ slug: owner, onDeletion: 'left' }));
    expect((await olga.delete(`/admin/users/${other}`)).status).toBe(204);
    expect((await person.get(`/namespaces/${owner}`)).body).toMatchObject({
      kind: 'personal',
      viewerRole: 'owner',
    });
  });

  test('loses no library that is published while its account is being deleted', async () => {
    const name = newcomer();
    const person = await service.member(name);
    const publisher = new Publisher(person, name, 'robots');
    await publisher.upload({ 'a/b.txt': 'x' });
    await publisher.uploadManifest(manifestOf({ 'a/b.txt': 'x' }));
    const [published, deleted] = await Promise.all([
      publisher.register(),
      olga.delete(`/admin/users/${name}`),
    ]);
    const left = await service.context.db
      .selectFrom('libraries')
      .innerJoin('namespaces', 'namespaces.id', 'libraries.namespace_id')
      .select('libraries.name')
      .where('namespaces.slug', '=', name)
      .execute();
    const isPublished = published.status === 201;
    expect({ left: left.length, deleted: deleted.status === 204 }).toEqual({
      left: isPublished ? 1 : 0,
      deleted: !isPublished,
    });
    expect([published.status, deleted.status]).not.toContain(500);
  });

  test('requires a recent sign-in to delete accounts, appoint operators or hand over namespaces', async () => {
    const name = newcomer();
    await service.member(name);
    const late = await operator(service, 'late');
    service.advance(HOUR + 60);
    try {
      const refusal = { status: 403, body: { error: 'recent_sign_in_required' } };
      expect(await late.delete(`/admin/users/${name}`)).toMatchObject(refusal);
      expect(await late.patch(`/admin/users/${name}`, { operator: true })).toMatchObject(refusal);
      expect(await late.post(`/admin/namespaces/${name}/hand-over`, { to: 'late' })).toMatchObject(refusal);
      expect((await late.patch(`/admin/users/${name}`, { disabled: true })).status).toBe(200);
    } finally {
      service.advance(-HOUR - 60);
    }
  });

  test('never demotes, disables or deletes the last operator, even if two remove each other at once', async () => {
    await olga.patch('/admin/users/late', { operator: false });
    const refusal = { status: 409, body: { error: 'last_operator' } };
    expect(await olga.patch('/admin/users/olga', { operator: false })).toMatchObject(refusal);
    expect(await olga.patch('/admin/users/olga', { disabled: true })).toMatchObject(refusal);
    expect(await olga.delete('/admin/users/olga')).toMatchObject(refusal);
    const kim = await operator(service, 'kim');
    const [deletion, disabling] = await Promise.all([
      olga.delete('/admin/users/kim'),
      kim.patch('/admin/users/olga', { disabled: true }),
    ]);
    const [left, name, refused] =
      deletion.status === 204 ? ([olga, 'olga', disabling] as const) : ([kim, 'kim', deletion] as const);
    const { body } = await left.get<{ users: AdministeredUser[] }>('/admin/users?pageSize=100');
    const operators = body.users.filter(({ isOperator, disabledAt }) => isOperator && disabledAt === null);
    expect(operators.map(({ userName }) => userName)).toEqual([name]);
    // Whether the token or the right to administer was checked after the other request is a matter of timing.
    expect([
      [401, 'invalid_token'],
      [404, 'not_found'],
    ]).toContainEqual([refused.status, refused.body.error]);
    olga = left;
    await olga.patch('/admin/users/olga', { disabled: false });
    olga = await operator(service, 'olga');
    await olga.patch('/admin/users/kim', { operator: false });
  });

  test('hands a namespace over to a new owner and keeps its members', async () => {
    const [name, heir] = [newcomer(), newcomer()];
    const person = await service.member(name);
    await service.member(heir);
    await person.post('/namespaces', { slug: `team-${name}` });
    const answer = await olga.post(`/admin/namespaces/team-${name}/hand-over`, { to: heir });
    expect(answer).toMatchObject({ status: 200, body: { slug: `team-${name}`, members: 2 } });
    expect((await olga.get(`/admin/namespaces/team-${name}`)).body).toMatchObject({
      memberships: [
        { userName: name, role: 'owner' },
        { userName: heir, role: 'owner' },
      ],
    });
    expect((await olga.post(`/admin/namespaces/team-${name}/hand-over`, { to: 'nobody-there' })).status).toBe(
      400,
    );
    expect((await olga.post('/admin/namespaces/nowhere/hand-over', { to: heir })).status).toBe(404);
  });

  test('counts as unregistered what was uploaded, until it is registered', async () => {
    const unregistered = async () =>
      (await olga.get<{ unregisteredBytes: number }>('/admin/storage')).body.unregisteredBytes;
    const name = newcomer();
    const robots = new Publisher(await service.member(name), name, 'robots');
    const before = await unregistered();
    await robots.upload({ 'a/b.txt': 'x'.repeat(100) });
    expect(await unregistered()).toBe(before + 100);
    await robots.publish({ 'a/b.txt': 'x'.repeat(100) });
    expect(await unregistered()).toBe(before);
  });

  test('reports the usage of namespaces, the storage, the health of the service, and its models', async () => {
    const name = newcomer();
    const person = await service.member(name);
    await new Publisher(person, name, 'robots').publish({ 'a/b.txt': 'x'.repeat(100) });
    await new Publisher(person, name, 'old').publish({ 'a/b.txt': 'y'.repeat(50) });
    await person.delete(`/namespaces/${name}/libraries/old`);
    const { body: listed } = await olga.get<{ namespaces: object[] }>(`/admin/namespaces?search=${name}`);
    expect(listed.namespaces).toContainEqual(
      expect.objectContaining({ slug: name, libraries: 2, files: 2, bytes: 150, members: 1 }),
    );
    const { body: storage } = await olga.get('/admin/storage');
    expect(storage).toMatchObject({ trash: { libraries: 1, files: 1, bytes: 50 }, damagedObjects: 0 });
    expect(storage).toMatchObject({
      disk: { total: expect.any(Number), free: expect.any(Number), reserve: 0 },
    });
    expect(storage.largest).toContainEqual(
      expect.objectContaining({ namespace: name, name: 'old', isInTrash: true, bytes: 50 }),
    );
    const { body: health } = await olga.get('/admin/health');
    expect(health).toMatchObject({
      status: 'ready',
      problems: [],
      database: { schema: expect.stringMatching(/^\d{4}-/) },
    });
    expect(health.lastHour).toContainEqual(expect.objectContaining({ failures: 0 }));
    const { body: models } = await olga.get('/admin/models');
    expect(models).toMatchObject({
      active: null,
      libraries: [expect.objectContaining({ model: null, libraries: expect.any(Number) })],
    });
  });
});
