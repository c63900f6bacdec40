import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher } from './publisher.ts';

describe.each(databases)('the lifecycle of a library on $name', ({ open }) => {
  let service: TestService;
  let robots: Publisher;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    robots = new Publisher(await service.member('anna'), 'anna', 'robots');
    await robots.publish({ 'arm.stl': 'solid' });
  });
  afterEach(() => service.close());

  test('a patch changes visibility and share token, and nothing else', async () => {
    const before = await robots.actor.get(robots.path);
    const opened = await robots.actor.post(robots.path, { visibility: 'public', share: true });
    expect(opened.status).toBe(200);
    expect(opened.body).toMatchObject({ visibility: 'public', revision: 1, shareToken: expect.any(String) });
    expect((await service.anonymous.get(robots.path)).status).toBe(200);
    const again = await robots.actor.post(robots.path, { share: true });
    expect(again.body.shareToken).toBe(opened.body.shareToken);
    const closed = await robots.actor.post(robots.path, { visibility: 'private', share: false });
    const { updatedAt: _, ...rest } = before.body;
    expect(closed.body).toMatchObject(rest);
  });

  test('a patch with an unknown field or an invalid value gets 400 naming it, and changes nothing', async () => {
    for (const [body, parameter] of [
      [{ title: 'New' }, '/title'],
      [{ visibility: 'open' }, '/visibility'],
      [{ visibility: 'public', share: 'yes' }, '/share'],
    ] as const) {
      expect(await robots.actor.post(robots.path, body)).toMatchObject({
        status: 400,
        body: { error: 'invalid_parameter', parameter },
      });
    }
    expect((await robots.actor.get(robots.path)).body).toMatchObject({ visibility: 'private' });
  });

  test('a deleted library is 404 for reads and writes, listed in the Trash, and restored as it was', async () => {
    const before = await robots.actor.get(robots.path);
    const deleted = await robots.actor.delete(robots.path);
    expect(deleted).toMatchObject({
      status: 200,
      body: { namespace: 'anna', name: 'robots', state: 'deleted', deletedAt: expect.any(String) },
    });
    expect((await robots.actor.get(robots.path)).status).toBe(404);
    expect((await robots.actor.delete(robots.path)).status).toBe(404);
    expect((await robots.actor.post(robots.path, { visibility: 'public' })).status).toBe(404);
    const trash = await robots.actor.get('/namespaces/anna/libraries?deleted=true');
    expect(trash.body).toMatchObject({ libraries: [{ name: 'robots' }] });

    const restored = await robots.actor.post(`${robots.path}/restore`);
    expect(restored.status).toBe(200);
    const { updatedAt: _, ...rest } = before.body;
    expect(restored.body).toMatchObject(rest);
    expect((await robots.actor.get(`${robots.path}/manifest`)).status).toBe(200);
  });

  test('a library that is not in the Trash can neither be restored nor purged', async () => {
    for (const answer of [
      await robots.actor.post(`${robots.path}/restore`),
      await robots.actor.delete(`${robots.path}/purge`),
    ]) {
      expect(answer).toMatchObject({ status: 409, body: { error: 'not_in_trash' } });
    }
    expect((await robots.actor.get(robots.path)).status).toBe(200);
  });

  test('the name of a library in the Trash cannot be registered', async () => {
    await robots.actor.delete(robots.path);
    expect(await robots.register()).toMatchObject({ status: 409, body: { error: 'library_in_trash' } });
    expect(await robots.register({ expectedRevision: 7 })).toMatchObject({
      status: 409,
      body: { error: 'library_in_trash' },
    });
  });

  test('a purge frees the bytes and the name; revision numbers of the name continue', async () => {
    await robots.register();
    await robots.actor.delete(robots.path);
    const purged = await robots.actor.delete(`${robots.path}/purge`);
    expect(purged).toMatchObject({
      status: 200,
      body: { namespace: 'anna', name: 'robots', state: 'purged' },
    });
    // The file, the manifest, and an index that both revisions share.
    expect(purged.body.objectsDeleted).toBe(3);
    expect(purged.body.bytesFreed).toBeGreaterThan('solid'.length);
    expect((await robots.actor.delete(`${robots.path}/purge`)).status).toBe(404);
    expect((await robots.actor.post(`${robots.path}/restore`)).status).toBe(404);
    expect(await robots.register()).toMatchObject({ status: 400, body: { error: 'manifest_missing' } });

    const fresh = await robots.publish({ 'leg.stl': 'solid' }, { expectedRevision: 0 });
    expect(fresh).toMatchObject({ status: 201, body: { revision: 3, visibility: 'private' } });
  });

  test('a stranger who tries to change a private library gets the same 404 as for a missing one', async () => {
    const stranger = await service.stranger();
    const missing = robots.path.replace('robots', 'nothing');
    const changes = [
      ['POST', '', { visibility: 'public' }],
      ['DELETE', '', undefined],
      ['POST', '/restore', undefined],
      ['DELETE', '/purge', undefined],
      ['POST', '/register', {}],
    ] as const;
    for (const [method, suffix, body] of changes) {
      const hidden = await stranger.send<Record<string, unknown>>(method, robots.path + suffix, body);
      const absent = await stranger.send<Record<string, unknown>>(method, missing + suffix, body);
      expect(hidden.status).toBe(404);
      expect({ ...hidden.body, requestId: '' }).toEqual({ ...absent.body, requestId: '' });
      expect((await service.anonymous.send(method, robots.path + suffix, body)).status).toBe(401);
    }
  });

  test('a reader of a public library is not allowed to change it', async () => {
    await robots.actor.post(robots.path, { visibility: 'public' });
    const stranger = await service.stranger();
    expect((await stranger.post(robots.path, {})).status).toBe(403);
    expect((await stranger.delete(robots.path)).status).toBe(403);
    expect((await stranger.delete(`${robots.path}/purge`)).status).toBe(403);
  });
});
