import { join } from 'node:path';
import { LIMITS, type Release } from '@bindery/contract';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { fileEntry, Publisher } from './publisher.ts';
import { referencedObjects, storedObjects } from './stored-objects.ts';

const DAY = 86_400;

interface Page {
  releases: Release[];
  total: number;
  totalPages: number;
}

describe.each(databases)('releases on $name', ({ open }) => {
  let service: TestService;
  let anna: Actor;
  let robots: Publisher;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    anna = await service.member('anna');
    robots = new Publisher(anna, 'anna', 'robots');
    await robots.publish({ 'arm/arm.stl': 'first arm', 'base/base.stl': 'same' });
  });
  afterEach(() => service.close());

  const release = (name: string, more: object = {}) =>
    anna.post<Release>(`${robots.path}/releases`, { name, ...more });

  const stored = () => storedObjects(join(service.context.configuration.dataDir, 'objects'));

  async function hashesStored(): Promise<string[]> {
    return (await stored()).map((object) => object.split('/')[1] ?? '');
  }

  /** Lets every grace period end, and everything go that nothing names. */
  async function reclaimAll(): Promise<void> {
    for (let pass = 0; pass < 2; pass++) {
      service.advance(2 * DAY);
      await reclaim(service.context);
    }
  }

  test('a release names the current revision, and can be shown, listed and deleted', async () => {
    const made = await release('v1.0', { notes: 'As in the paper.' });
    const { body: library } = await anna.get(robots.path);
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'v1.0',
        revision: 1,
        notes: 'As in the paper.',
        assetCount: 2,
        fileCount: 2,
        totalBytes: library.totalBytes,
        createdBy: 'anna',
      },
    });
    const { headers } = await anna.get(robots.path);
    expect(made.body.manifest.sha256).toBe(headers.get('bindery-manifest'));
    expect((await anna.get(`${robots.path}/releases/v1.0`)).body).toEqual(made.body);

    await robots.publish({ 'arm/arm.stl': 'second arm' });
    service.advance(1);
    await release('v2.0');
    const { body: page } = await anna.get<Page>(`${robots.path}/releases?pageSize=1`);
    expect(page).toMatchObject({ total: 2, totalPages: 2 });
    expect(page.releases.map(({ name, revision }) => [name, revision])).toEqual([['v2.0', 2]]);
    const { body: second } = await anna.get<Page>(`${robots.path}/releases?pageSize=1&page=2`);
    expect(second.releases).toEqual([made.body]);

    expect((await anna.delete(`${robots.path}/releases/v1.0`)).status).toBe(204);
    expect((await anna.get(`${robots.path}/releases/v1.0`)).body).toMatchObject({ error: 'not_found' });
    expect((await anna.delete(`${robots.path}/releases/v1.0`)).status).toBe(404);
  });

  test('a release name is unique, case-sensitive, well-formed and never "latest"', async () => {
    await release('v1');
    const again = await release('v1');
    expect(again).toMatchObject({ status: 409, body: { error: 'release_exists' } });
    expect((await release('V1')).status).toBe(201);
    for (const name of ['latest', '', '.v1', 'v 1', 'v/1', 'v1@2', 'v'.repeat(65)]) {
      expect((await release(name)).body).toMatchObject({ error: 'invalid_parameter', parameter: '/name' });
    }
  });

  test('a release names the revision that it was asked for, or is refused if that is not kept', async () => {
    await robots.publish({ 'arm/arm.stl': 'second arm' });
    expect(await release('v1', { revision: 1 })).toMatchObject({ status: 201, body: { revision: 1 } });
    expect(await release('v2', { revision: 2 })).toMatchObject({ status: 201, body: { revision: 2 } });
    const refused = await release('v3', { revision: 3 });
    expect(refused).toMatchObject({ status: 409, body: { error: 'revision_conflict', revision: 2 } });
    expect((await anna.get<Page>(`${robots.path}/releases`)).body.total).toBe(2);
  });

  test('a release of a stated revision can be asked for again, and stays as it is', async () => {
    const made = await release('v1', { revision: 1, notes: 'first' });
    for (const same of [{ revision: 1 }, { revision: 1, notes: 'first' }])
      expect(await release('v1', same)).toMatchObject({ status: 201, body: made.body });
    expect((await anna.get<Page>(`${robots.path}/releases`)).body.releases).toEqual([made.body]);
    const exists = { status: 409, body: { error: 'release_exists' } };
    expect(await release('v1', { revision: 1, notes: 'other' })).toMatchObject(exists);
    await robots.publish({ 'arm/arm.stl': 'second arm' });
    expect(await release('v1', { revision: 2 })).toMatchObject(exists);
  });

  test('a library has a limited number of releases', async () => {
    const { body } = await release('first');
    const row = await service.context.db.selectFrom('releases').selectAll().executeTakeFirstOrThrow();
    const others = Array.from({ length: LIMITS.releases - 1 }, (_, at) => ({ ...row, name: `r${at}` }));
    for (let at = 0; at < others.length; at += 100) {
      await service.context.db
        .insertInto('releases')
        .values(others.slice(at, at + 100))
        .execute();
    }
    expect((await release('one-more')).body).toMatchObject({ error: 'too_many_releases' });
    await anna.delete(`${robots.path}/releases/${body.name}`);
    expect((await release('one-more')).status).toBe(201);
  });

  test('only members with write access create and delete releases, and others cannot see who created them', async () => {
    await anna.post(robots.path, { visibility: 'public' });
    await release('v1');
    const reader = await service.token('anna', { scope: 'read' });
    const stranger = await service.stranger();
    for (const [actor, status] of [
      [service.anonymous, 401],
      [reader, 403],
      [stranger, 403],
    ] as const) {
      expect((await actor.post(`${robots.path}/releases`, { name: 'v2' })).status).toBe(status);
      expect((await actor.get(`${robots.path}/releases/v1/deletion`)).status).toBe(status);
      expect((await actor.delete(`${robots.path}/releases/v1`)).status).toBe(status);
    }
    const seen = await stranger.get<Page>(`${robots.path}/releases`);
    expect(seen.body.releases).toMatchObject([{ name: 'v1', createdBy: null }]);
  });

  test('a share token lets its holder read the releases of its library', async () => {
    const { body } = await anna.post<{ shareToken: string }>(robots.path, { share: true });
    await release('v1');
    const path = `${robots.path}/releases`;
    expect((await service.anonymous.get(path)).status).toBe(404);
    expect((await service.anonymous.get(`${path}?share=${body.shareToken}`)).status).toBe(200);
    expect((await service.anonymous.get(`${path}/v1?share=${body.shareToken}`)).status).toBe(200);
  });

  test('the files of a release are kept, however much is pushed and reclaimed after it', async () => {
    await release('v1');
    await robots.publish({ 'arm/arm.stl': 'second arm' });
    await robots.publish({ 'arm/arm.stl': 'third arm' });
    await reclaimAll();
    expect(await stored()).toEqual(await referencedObjects(service.context));
    const hashes = await hashesStored();
    expect(hashes).toContain(fileEntry('', 'first arm').sha256);
    expect(hashes).toContain(fileEntry('', 'same').sha256);
    expect(hashes).not.toContain(fileEntry('', 'second arm').sha256);
  });

  test('a preview of a deletion says what it frees, and that is freed after the grace period', async () => {
    await release('v1');
    await release('v1-again');
    await robots.publish({ 'arm/arm.stl': 'second arm', 'base/base.stl': 'same' });
    await reclaimAll();
    const preview = (name: string) =>
      anna.get<{ objectsFreed: number; bytesFreed: number }>(`${robots.path}/releases/${name}/deletion`);
    expect((await preview('v1')).body).toEqual({ objectsFreed: 0, bytesFreed: 0 });
    await anna.delete(`${robots.path}/releases/v1-again`);
    const { body: promised } = await preview('v1');

    const before = await stored();
    await anna.delete(`${robots.path}/releases/v1`);
    await reclaim(service.context);
    expect(await stored()).toEqual(before);
    await reclaimAll();
    const after = await stored();
    expect(after).toEqual(await referencedObjects(service.context));
    expect(promised.objectsFreed).toBe(before.length - after.length);
    expect(promised.bytesFreed).toBeGreaterThan('first arm'.length);
    expect(await hashesStored()).toContain(fileEntry('', 'same').sha256);
    expect(await service.context.db.selectFrom('retired_revisions').selectAll().execute()).toEqual([]);
  });

  test('a release of the current revision can be deleted, and the revision replaced afterwards', async () => {
    await release('v1');
    await anna.delete(`${robots.path}/releases/v1`);
    expect((await robots.publish({ 'arm/arm.stl': 'second arm' })).status).toBe(200);
    await reclaimAll();
    expect(await stored()).toEqual(await referencedObjects(service.context));
  });

  test('the Trash hides releases, a restore brings them back, and a purge deletes them', async () => {
    await release('v1');
    await robots.publish({ 'arm/arm.stl': 'second arm' });
    await anna.delete(robots.path);
    expect((await anna.get(`${robots.path}/releases`)).status).toBe(404);
    expect((await release('v2')).status).toBe(404);
    expect((await anna.delete(`${robots.path}/releases/v1`)).status).toBe(404);
    await reclaimAll();
    await anna.post(`${robots.path}/restore`);
    expect((await anna.get(`${robots.path}/releases/v1`)).status).toBe(200);
    expect(await stored()).toEqual(await referencedObjects(service.context));

    await anna.delete(robots.path);
    await anna.delete(`${robots.path}/purge`);
    expect(await service.context.db.selectFrom('releases').selectAll().execute()).toEqual([]);
    await robots.publish({ 'arm/arm.stl': 'anew' });
    expect((await anna.get<Page>(`${robots.path}/releases`)).body.total).toBe(0);
    await reclaimAll();
    expect(await stored()).toEqual(await referencedObjects(service.context));
  });
});
