import { MANIFEST_PATH } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { rounds } from '../../../../test/faults.ts';
import { checkUnregistered, unregisteredIn } from '../../src/objects/unregistered.ts';
import { deleteAbandonedUploads } from '../../src/objects/uploads.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { manifestOf, Publisher, sha256 } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';
import { operator } from './operators.ts';

describe.each(databases)('a namespace quota over $name', ({ open }) => {
  let service: TestService;
  let olga: Actor;
  let teams = 0;
  beforeAll(async () => {
    service = await startService({ database: await open() });
    olga = await operator(service, 'olga');
  });
  afterAll(() => service.close());

  /** Somebody in a namespace of their own, with a quota. */
  async function bounded(quota: Record<string, number | null>) {
    const slug = `team-${++teams}`;
    const ada = await service.member(slug);
    await limit(slug, quota);
    return { slug, ada, library: (name: string) => new Publisher(ada, slug, name) };
  }

  async function limit(slug: string, quota: Record<string, number | null>) {
    const answer = await olga.patch(`/admin/namespaces/${slug}/quota`, quota);
    expect(answer.status).toBe(200);
    return answer.body;
  }

  async function usedOf(member: Actor, slug: string) {
    const { body } = await member.get<{ quota?: { used: unknown } }>(`/namespaces/${slug}`);
    return body.quota?.used;
  }

  /** Announces one file with as many bytes. */
  const announce = ({ actor, path }: Publisher, size: number, more = {}) =>
    actor.post(`${path}/upload-authorizations`, { files: [{ relativePath: 'new/a.bin', size, ...more }] });

  test('is shown to operators and members, and to nobody else', async () => {
    const { slug, ada, library } = await bounded({ bytes: 1_000, files: 10 });
    await library('open').publish({ 'a/b.txt': 'x'.repeat(100) }, { visibility: 'public' });
    const quota = {
      limits: { libraries: null, files: 10, bytes: 1_000 },
      used: { libraries: 1, files: 1, bytes: 100 },
    };
    expect((await ada.get(`/namespaces/${slug}`)).body).toMatchObject({ quota });
    expect((await olga.get(`/admin/namespaces/${slug}`)).body).toMatchObject({ quota });
    expect((await olga.get(`/admin/namespaces?search=${slug}`)).body).toMatchObject({
      namespaces: [{ slug, quota }],
    });
    const { status, body } = await (await service.stranger()).get(`/namespaces/${slug}`);
    expect([status, 'quota' in body]).toEqual([200, false]);
  });

  test('is absent from responses, and no usage is measured, if no limit is set', async () => {
    const { slug, ada, library } = await bounded({ libraries: 1 });
    await limit(slug, { libraries: null });
    await library('robots').publish({ 'a/b.txt': 'x' });
    expect((await ada.get(`/namespaces/${slug}`)).body).not.toHaveProperty('quota');
    expect((await olga.get(`/admin/namespaces/${slug}`)).body).not.toHaveProperty('quota');
    const { store_id } = await service.context.db
      .selectFrom('library_names')
      .select('store_id')
      .where('namespace_slug', '=', slug)
      .executeTakeFirstOrThrow();
    const measured = await service.context.db
      .selectFrom('library_usage')
      .select('store_id')
      .where('store_id', '=', store_id)
      .execute();
    expect(measured).toEqual([]);
  });

  test('rejects invalid limits and an unknown namespace, and keeps the other limits when one is set', async () => {
    const { slug } = await bounded({ bytes: 10 });
    for (const wrong of [{}, { bytes: -1 }, { bytes: 1.5 }, { bytes: '1' }, { inodes: 1 }]) {
      expect((await olga.patch(`/admin/namespaces/${slug}/quota`, wrong)).status).toBe(400);
    }
    expect((await olga.patch('/admin/namespaces/nowhere/quota', { bytes: 1 })).status).toBe(404);
    expect(await limit(slug, { files: 3 })).toMatchObject({
      quota: { limits: { libraries: null, files: 3, bytes: 10 } },
    });
  });

  test('refuses uploads that would exceed it, with the limit, the usage and the required total', async () => {
    const { slug, library } = await bounded({ bytes: 1_000 });
    await library('robots').publish({ 'a/b.txt': 'x'.repeat(900) });
    expect(await announce(library('robots'), 101)).toMatchObject({
      status: 507,
      body: {
        error: 'quota_exceeded',
        message:
          `The namespace "${slug}" is limited to 1,000 bytes and has 900; this would make it 1,001. ` +
          'Purge libraries, delete releases, or ask an operator for more.',
        namespace: slug,
        quota: 'bytes',
        limit: 1_000,
        used: 900,
        wanted: 1_001,
      },
    });
    expect((await announce(library('robots'), 100)).status).toBe(200);
  });

  test('counts uploads that are not registered yet, each file once, and never counts manifests', async () => {
    const { library } = await bounded({ bytes: 1_000, files: 3 });
    const robots = library('robots');
    await robots.upload({ 'a/a.bin': 'a'.repeat(600) });
    expect(await announce(robots, 401)).toMatchObject({ status: 507, body: { used: 0, wanted: 1_001 } });
    await robots.upload({ 'a/b.bin': 'b'.repeat(400) });
    await robots.upload({ 'a/b.bin': 'b'.repeat(400) });
    await robots.upload({ [MANIFEST_PATH]: JSON.stringify(manifestOf({ 'a/a.bin': 'a'.repeat(600) })) });
    expect((await robots.register()).status).toBe(201);
  });

  test('counts a content that was sent to several paths, or is in the revision, once before it refuses', async () => {
    const { library } = await bounded({ bytes: 1_000 });
    const robots = library('robots');
    await robots.publish({ 'a/a.bin': 'a'.repeat(200) });
    for (const [path, content] of [
      ['b', 'b'.repeat(300)],
      ['c', 'b'.repeat(300)],
      ['d', 'a'.repeat(200)],
    ])
      await robots.upload({ [`a/${path}.bin`]: content ?? '' });
    expect((await announce(robots, 500)).status).toBe(200);
    expect(await announce(robots, 501)).toMatchObject({ status: 507, body: { used: 200, wanted: 1_001 } });
  });

  test('adds up what is not registered as it is sent, registered, left for a day and purged', async () => {
    const { slug, ada, library } = await bounded({ bytes: 10_000 });
    const { db } = service.context;
    const sums = async () => {
      const { files, bytes } = await unregisteredIn(db, slug);
      const stores = await db.selectFrom('library_names').select('store_id').execute();
      for (const { store_id } of stores) expect(await checkUnregistered(db, store_id, false)).toBe(true);
      return [files, bytes];
    };
    const robots = library('robots');
    await robots.upload({ 'a/a.bin': 'a'.repeat(10), 'a/b.bin': 'b'.repeat(20) });
    await Promise.all(
      ['1', '2', '3'].map((name) => library('arms').upload({ [`${name}/c.bin`]: 'c'.repeat(5) })),
    );
    expect(await sums()).toEqual([5, 45]);
    await robots.upload({ 'a/a.bin': 'a'.repeat(10) });
    const hashed = { relativePath: 'a/copy.bin', size: 10, sha256: sha256('a'.repeat(10)) };
    const { body } = await ada.post(`${robots.path}/upload-authorizations`, { files: [hashed] });
    expect(body).toMatchObject({ files: [{ transfer: { kind: 'present' } }] });
    expect(await sums()).toEqual([5, 45]);
    await robots.uploadManifest(manifestOf({ 'a/a.bin': 'a'.repeat(10), 'a/b.bin': 'b'.repeat(20) }));
    expect((await robots.register()).status).toBe(201);
    expect(await sums()).toEqual([3, 15]);
    await robots.upload({ 'a/a.bin': 'a'.repeat(10), 'a/d.bin': 'd' });
    expect(await sums()).toEqual([5, 26]);
    await ada.delete(robots.path);
    await ada.delete(`${robots.path}/purge`);
    expect(await sums()).toEqual([3, 15]);
    service.advance(86_401);
    await library('arms').upload({ 'e/e.bin': 'e' });
    await deleteAbandonedUploads(service.context);
    expect(await sums()).toEqual([1, 1]);
  });

  test('counts uploads to other libraries of the namespace that are not registered yet', async () => {
    const { library } = await bounded({ bytes: 1_000 });
    await library('robots').upload({ 'a/a.bin': 'a'.repeat(600) });
    expect(await announce(library('arms'), 401)).toMatchObject({
      status: 507,
      body: { quota: 'bytes', used: 0, wanted: 1_001 },
    });
    expect((await library('robots').publish({ 'a/a.bin': 'a'.repeat(600) })).status).toBe(201);
    expect((await announce(library('arms'), 400)).status).toBe(200);
    expect((await announce(library('arms'), 401)).body).toMatchObject({ used: 600, wanted: 1_001 });
  });

  test('is checked again when the library is registered', async () => {
    const { slug, ada, library } = await bounded({ bytes: 1_000 });
    const robots = library('robots');
    const files = { 'a/b.txt': 'x'.repeat(900) };
    await robots.upload(files);
    await robots.uploadManifest(manifestOf(files));
    await limit(slug, { bytes: 899 });
    expect(await robots.register()).toMatchObject({
      status: 507,
      body: { error: 'quota_exceeded', quota: 'bytes', limit: 899, used: 0, wanted: 900 },
    });
    expect((await ada.get(robots.path)).status).toBe(404);
    await limit(slug, { bytes: 900 });
    expect((await robots.register()).status).toBe(201);
  });

  test('counts identical content once per library, and includes the Trash and releases', async () => {
    const { slug, ada, library } = await bounded({ bytes: 10_000 });
    const robots = library('robots');
    await robots.publish({ 'a/1.txt': 'same', 'a/2.txt': 'same', 'b/1.txt': 'first' });
    await library('copy').publish({ 'a/1.txt': 'same' });
    expect(await usedOf(ada, slug)).toEqual({ libraries: 2, files: 3, bytes: 13 });

    await ada.post(`${robots.path}/releases`, { name: 'v1' });
    await robots.publish({ 'a/1.txt': 'same', 'b/1.txt': 'second' });
    await ada.post(`${robots.path}/releases`, { name: 'v2' });
    await robots.publish({ 'a/1.txt': 'same', 'b/1.txt': 'first' });
    expect(await usedOf(ada, slug)).toEqual({ libraries: 2, files: 4, bytes: 19 });

    await ada.delete(library('copy').path);
    expect(await usedOf(ada, slug)).toEqual({ libraries: 2, files: 4, bytes: 19 });
    await ada.delete(`${library('copy').path}/purge`);
    expect(await usedOf(ada, slug)).toEqual({ libraries: 1, files: 3, bytes: 15 });
    await ada.delete(`${robots.path}/releases/v2`);
    expect(await usedOf(ada, slug)).toEqual({ libraries: 1, files: 2, bytes: 9 });
  });

  test('limits the number of libraries, including those in the Trash', async () => {
    const { ada, library } = await bounded({ libraries: 1 });
    await library('first').publish({ 'a/b.txt': 'x' });
    const refusal = { status: 507, body: { quota: 'libraries', limit: 1, used: 1, wanted: 2 } };
    expect(await announce(library('second'), 1)).toMatchObject(refusal);
    await ada.delete(library('first').path);
    expect(await announce(library('second'), 1)).toMatchObject(refusal);
    await ada.delete(`${library('first').path}/purge`);
    expect((await library('second').publish({ 'a/b.txt': 'x' })).status).toBe(201);
  });

  test('lets a namespace over its quota shrink, delete and restore, but not upload', async () => {
    const { slug, ada, library } = await bounded({ bytes: 1_000 });
    const robots = library('robots');
    await robots.publish({ 'a/1.txt': 'x'.repeat(500), 'b/1.txt': 'y'.repeat(400) });
    expect(await limit(slug, { bytes: 100 })).toMatchObject({ quota: { used: { bytes: 900 } } });
    expect((await announce(robots, 1)).status).toBe(507);
    const smaller = manifestOf({ 'a/1.txt': 'x'.repeat(500) });
    await robots.uploadManifest(smaller);
    expect((await robots.register()).status).toBe(200);
    expect(await usedOf(ada, slug)).toEqual({ libraries: 1, files: 1, bytes: 500 });
    expect((await ada.delete(robots.path)).status).toBe(200);
    expect((await ada.post(`${robots.path}/restore`)).status).toBe(200);
  });

  test('measures libraries that were published before it was set', async () => {
    const { slug, ada, library } = await bounded({ bytes: null, files: 5 });
    await limit(slug, { files: null });
    await library('robots').publish({ 'a/1.txt': 'x'.repeat(500) });
    await ada.post(`${library('robots').path}/releases`, { name: 'v1' });
    await library('robots').publish({ 'a/1.txt': 'y'.repeat(300) });
    expect(await limit(slug, { bytes: 1_000 })).toMatchObject({
      quota: { used: { libraries: 1, files: 2, bytes: 800 } },
    });
  });

  test('holds when two libraries register at once and only one fits', async () => {
    for (let round = 0; round < rounds({ short: 4, long: 100 }); round++) {
      const { slug, ada, library } = await bounded({ files: 100 });
      const publishers = ['left', 'right'].map((name) => library(name));
      for (const publisher of publishers) {
        const files = { 'a/b.txt': publisher.path.padEnd(600, 'x') };
        await publisher.upload(files);
        await publisher.uploadManifest(manifestOf(files));
      }
      await limit(slug, { bytes: 1_000 });
      const answers = await Promise.all(publishers.map((publisher) => publisher.register()));
      expect(answers.map(({ status }) => status).sort()).toEqual([201, 507]);
      expect(await usedOf(ada, slug)).toEqual({ libraries: 1, files: 1, bytes: 600 });
    }
  });

  test('holds when it is set while a library is being registered', async () => {
    const { slug, library } = await bounded({ bytes: null, files: 100 });
    await limit(slug, { files: null });
    const robots = library('robots');
    const files = { 'a/b.txt': 'x'.repeat(600) };
    await robots.upload(files);
    await robots.uploadManifest(manifestOf(files));
    const [registered] = await Promise.all([robots.register(), limit(slug, { bytes: 100 })]);
    expect([201, 507]).toContain(registered.status);
    if (registered.status === 507) expect(registered.body).toMatchObject({ error: 'quota_exceeded' });
    expect((await robots.actor.get(robots.path)).status).toBe(registered.status === 201 ? 200 : 404);
    expect((await announce(robots, 1)).status).toBe(507);
  });
});
