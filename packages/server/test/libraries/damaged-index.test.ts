import { readFile, rm, truncate, writeFile } from 'node:fs/promises';
import type { SearchHit } from '@bindery/contract';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { LibraryRow } from '../../src/access/libraries.ts';
import { IndexRepairer } from '../../src/objects/health/repair.ts';
import { openRevision } from '../../src/objects/open-revision.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import { RevisionCache } from '../../src/objects/revision-cache.ts';
import { decodeSections, joinSections } from '../../src/revision/sections.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import type { TestService } from '../service.ts';
import { publish } from './publish.ts';
import { referencedObjects, storedObjects } from './stored-objects.ts';
import { flipBit, startWatchedService, type WatchedService } from './watched-service.ts';

const DAY = 86_400;
const THUMBNAIL = '.bindery/thumbnails/arm.webp';

interface CrossSearch {
  hits: SearchHit[];
  skipped: { library: string; reason: string }[];
}

describe.each(databases)('on $name, a library whose index', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let logged: WatchedService['logged'];
  let counted: WatchedService['counted'];
  let forget: () => void;

  beforeAll(async () => {
    ({ service, logged, counted, forget } = await startWatchedService({
      // Nothing is kept in memory: every request reads what is stored.
      configuration: { indexCacheBytes: 1 },
      database: await open(),
    }));
    ada = await service.member('ada');
  });
  beforeEach(() => forget());
  afterAll(() => service.close());

  const base = (name: string) => `/namespaces/ada/libraries/${name}`;
  const rowOf = (name: string): Promise<LibraryRow> =>
    service.context.db.selectFrom('libraries').selectAll().where('name', '=', name).executeTakeFirstOrThrow();
  const publishRobots = (name: string, more: string[] = []) =>
    publish(ada, `ada/${name}`, {
      visibility: 'public',
      assets: [
        { id: 'arm', thumbnail: THUMBNAIL, files: { 'arm/arm.xml': '<mujoco/>', 'arm/arm.stl': 'an arm' } },
        ...['cup', ...more].map((id) => ({ id, files: { [`${id}/${id}.stl`]: `a ${id}` } })),
      ],
      generated: { [THUMBNAIL]: 'a picture' },
    });
  async function fileOf(name: string, column: 'index_sha256' | 'manifest_sha256' | 'artifacts_sha256') {
    const row = await rowOf(name);
    return service.context.objects.localFile({ storeId: row.store_id, sha256: row[column] ?? '' });
  }
  /** Everything that the index answers. */
  async function answers(name: string) {
    const { body: arm } = await ada.get(`${base(name)}/assets/arm`);
    const { body: found } = await ada.get<{ hits: SearchHit[] }>(`${base(name)}/search?q=arm`);
    const paths = ['arm/arm.stl', THUMBNAIL, 'cup/cup.stl'];
    const { body: signed } = await ada.post<{ files: { path: string; sha256: string; url: string }[] }>(
      `${base(name)}/files-presign`,
      { paths },
    );
    const contents = signed.files?.map(async ({ path, url }) => [path, await (await fetch(url)).text()]);
    return {
      files: (arm.files as { path: string }[] | undefined)?.map(({ path }) => path),
      hits: found.hits?.map(({ assetId, files, digest }) => [assetId, files, digest]),
      contents: contents && (await Promise.all(contents)),
    };
  }

  const DAMAGE: [string, (file: string, bytes: Buffer) => Promise<void>][] = [
    ['is gone', (file) => rm(file)],
    ['is empty', (file) => truncate(file)],
    ['has lost its end', (file, { length }) => truncate(file, length >> 1)],
    ...[0.001, 0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95].map((share): (typeof DAMAGE)[number] => [
      `has a flipped bit at ${share * 100} %`,
      (file, { length }) => flipBit(file, Math.floor(length * share)),
    ]),
  ];

  test.each(DAMAGE)('%s gives the same answers as before and rebuilds it', async (what, damage) => {
    const name = what.replaceAll(/[^a-z0-9]+/g, '-');
    await publishRobots(name);
    const before = await answers(name);
    expect(before.contents).toContainEqual([THUMBNAIL, 'a picture']);
    const file = await fileOf(name, 'index_sha256');
    const whole = await readFile(file);
    await damage(file, whole);

    expect(await answers(name)).toEqual(before);
    expect(await readFile(await fileOf(name, 'index_sha256'))).toEqual(whole);
    expect(counted).toEqual(['found index', 'repaired index']);
    expect(logged.map(({ msg }) => msg)).toEqual([
      'the index of a library is damaged or missing',
      'the index of a library was rebuilt',
    ]);
  });

  test('is damaged rebuilds it once for concurrent requests', async () => {
    await publishRobots('busy');
    await flipBit(await fileOf('busy', 'index_sha256'), 900);
    const asked = await Promise.all(Array.from({ length: 20 }, () => ada.get(`${base('busy')}/assets/arm`)));
    expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 200));
    expect(counted).toEqual(['found index', 'repaired index']);
  });

  test('is damaged opens for all waiting readers, even one that reads the damage during the rebuild', async () => {
    await publishRobots('crossed');
    const row = await rowOf('crossed');
    await flipBit(await fileOf('crossed', 'index_sha256'), 900);
    const { context } = service;
    const rebuild = Promise.withResolvers<void>();
    const slowRead = Promise.withResolvers<void>();
    const readDamage = Promise.withResolvers<void>();
    let reads = 0;
    const revisions = new RevisionCache(
      {
        read: async (object) => {
          const read = ++reads;
          const bytes = context.objects.read(object);
          if (read !== 2) return bytes;
          await bytes.catch(() => readDamage.resolve());
          await slowRead.promise;
          return bytes;
        },
      },
      1,
    );
    const revisionWorkers = {
      ...context.revisionWorkers,
      rebuild: (job: Parameters<typeof context.revisionWorkers.rebuild>[0]) =>
        rebuild.promise.then(() => context.revisionWorkers.rebuild(job)),
    };
    const indexRepairer = new IndexRepairer({ ...context, revisionWorkers, revisions });
    const open = () => openRevision({ ...context, revisions, indexRepairer }, row);

    const early = open();
    await expect.poll(() => counted).toEqual(['found index']);
    const late = open();
    await readDamage.promise;
    rebuild.resolve();
    expect((await early).index.assetCount).toBe(2);
    slowRead.resolve();
    expect((await late).index.assetCount).toBe(2);
  });

  test('is damaged returns unavailable during a slow rebuild, and opens after it', async () => {
    await publishRobots('slow');
    await flipBit(await fileOf('slow', 'index_sha256'), 900);
    const { context } = service;
    const released = Promise.withResolvers<void>();
    const revisionWorkers = {
      ...context.revisionWorkers,
      rebuild: (job: Parameters<typeof context.revisionWorkers.rebuild>[0]) =>
        released.promise.then(() => context.revisionWorkers.rebuild(job)),
    };
    const indexRepairer = new IndexRepairer({ ...context, revisionWorkers }, { maxWait: 20 });
    const row = await rowOf('slow');
    await expect(openRevision({ ...context, indexRepairer }, row)).rejects.toMatchObject({
      code: 'unavailable',
      details: { retryAfter: 5 },
    });
    released.resolve();
    await expect.poll(() => counted, { timeout: 60_000 }).toEqual(['found index', 'repaired index']);
    expect((await openRevision({ ...context, indexRepairer }, row)).index.assetCount).toBe(2);
  });

  test('is damaged and whose artifact list is missing keeps the artifacts still readable in the index', async () => {
    await publishRobots('salvaged');
    const before = await answers('salvaged');
    await rm(await fileOf('salvaged', 'artifacts_sha256'));
    const file = await fileOf('salvaged', 'index_sha256');
    await flipBit(file, (await readFile(file)).length - 9);
    expect(await answers('salvaged')).toEqual(before);
  });

  test('and artifact list are both missing works without its platform artifacts until the next push', async () => {
    await publishRobots('without');
    await service.context.db.updateTable('libraries').set({ artifacts_sha256: null }).execute();
    const { index_sha256: before } = await rowOf('without');
    await rm(await fileOf('without', 'index_sha256'));
    const { body } = await ada.get(`${base('without')}/assets/arm`);
    expect(body).toMatchObject({ id: 'arm', thumbnailUrl: null });
    expect((await rowOf('without')).index_sha256).not.toBe(before);
    expect(logged).toContainEqual(
      expect.objectContaining({ msg: 'platform artifacts were lost with the index of a library', total: 1 }),
    );
    forget();
    expect((await ada.get(`${base('without')}/assets/arm`)).status).toBe(200);
    expect(logged).toEqual([]);
    // A push brings them back.
    await publishRobots('without');
    expect((await answers('without')).contents).toContainEqual([THUMBNAIL, 'a picture']);
  });

  test('and manifest are damaged fails alone, with content_lost and a log entry, until the next push', async () => {
    await publishRobots('lost');
    await publishRobots('well');
    await flipBit(await fileOf('lost', 'manifest_sha256'), 30);
    await rm(await fileOf('lost', 'index_sha256'));
    for (const path of ['assets/arm', 'search?q=arm']) {
      const { status, body } = await ada.get(`${base('lost')}/${path}`);
      expect([path, status, body.error]).toEqual([path, 500, 'content_lost']);
      expect(body.message).toContain('push --verify');
    }
    expect(logged.map(({ msg }) => msg)).toContain('the manifest of a library is damaged or missing');
    expect(counted).toContain('found manifest');
    const { status, body } = await ada.get<CrossSearch>('/library-search?libraries=ada/lost,ada/well&q=arm');
    expect([status, body.skipped]).toEqual([200, [{ library: 'ada/lost', reason: 'unavailable' }]]);
    expect(body.hits.map(({ assetId }) => assetId)).toEqual(['arm']);

    await publishRobots('lost', ['bowl']);
    expect((await answers('lost')).contents).toEqual((await answers('well')).contents);
  });

  test('is damaged accepts the next register and repairs the index', async () => {
    await publishRobots('next');
    await flipBit(await fileOf('next', 'index_sha256'), 700);
    const { revision } = await publishRobots('next', ['bowl']);
    expect(revision).toBe(2);
    expect(counted).toEqual(['found index', 'repaired index']);
    const { body } = await ada.get<{ hits: SearchHit[] }>(`${base('next')}/search?q=bowl`);
    expect(body.hits.map(({ assetId }) => assetId)).toEqual(['bowl']);
  });

  test('is damaged loses no object to a reclaim, wherever the damage is', async () => {
    const { index_sha256: sha256, store_id: storeId } = await publishRobots('kept').then(() => rowOf('kept'));
    const file = await service.context.objects.localFile({ storeId, sha256 });
    const whole = await readFile(file);
    const named = (await referencedObjects(service.context)).filter((name) => name.startsWith(storeId));
    for (let at = 100; at < whole.length; at += Math.ceil(whole.length / 20)) {
      await service.context.db
        .updateTable('library_names')
        .set({ reclaim_due_at: 1 })
        .where('store_id', '=', storeId)
        .execute();
      await flipBit(file, at);
      service.advance(2 * DAY);
      await reclaim(service.context);
      const stored = await storedObjects(`${service.context.configuration.dataDir}/objects`);
      expect([at, stored.filter((name) => name.startsWith(storeId))]).toEqual([at, named]);
      await writeFile(file, whole);
    }
  });

  test('is damaged only in a release rebuilds it there on a read or a reclaim', async () => {
    const { store_id: storeId } = await publishRobots('released').then(() => rowOf('released'));
    await ada.post(`${base('released')}/releases`, { name: 'v1' });
    const { index_sha256: sha256 } = await rowOf('released');
    await publishRobots('released', ['bowl']);
    const file = await service.context.objects.localFile({ storeId, sha256 });
    const whole = await readFile(file);

    await flipBit(file, 900);
    const { body } = await ada.get<{ hits: SearchHit[] }>(`${base('released')}/search?release=v1`);
    expect(body.hits.map(({ assetId }) => assetId)).toEqual(['arm', 'cup']);
    expect(await readFile(file)).toEqual(whole);
    expect(counted).toEqual(['found index', 'repaired index']);

    await rm(file);
    service.advance(2 * DAY);
    const named = (await ada.get(`${base('released')}/assets/cup?release=v1`)).status;
    expect(named).toBe(200);
    await rm(file);
    await service.context.db.updateTable('library_names').set({ reclaim_due_at: 1 }).execute();
    await reclaim(service.context);
    expect(await readFile(file)).toEqual(whole);
  });

  test('is rebuilt with other bytes in a release during a reclaim keeps the new index', async () => {
    await publishRobots('renewed');
    await ada.post(`${base('renewed')}/releases`, { name: 'v1' });
    await publishRobots('renewed', ['bowl']);
    const { context } = service;
    const release = await context.db
      .selectFrom('releases')
      .innerJoin('libraries', 'libraries.store_id', 'releases.store_id')
      .where('libraries.name', '=', 'renewed')
      .select(['releases.store_id', 'releases.index_sha256'])
      .executeTakeFirstOrThrow();
    const storeId = release.store_id;
    const bytes = await context.objects.read({ storeId, sha256: release.index_sha256 });
    // As it was before indexes had words.
    const sections = Object.entries(decodeSections(bytes)).filter(([name]) => !name.startsWith('words.'));
    const { sha256: old } = await context.objects.write(storeId, joinSections(Object.fromEntries(sections)));
    await context.db
      .updateTable('releases')
      .set({ index_sha256: old })
      .where('store_id', '=', storeId)
      .execute();
    await context.db
      .updateTable('library_names')
      .set({ reclaim_due_at: 1 })
      .where('store_id', '=', storeId)
      .execute();
    service.advance(2 * DAY);

    const { objects } = context;
    const list = objects.list.bind(objects);
    objects.list = async function* (listed) {
      if (listed === storeId) await ada.get(`${base('renewed')}/search?q=cup&rank=relevance&release=v1`);
      yield* list(listed);
    };
    await reclaim(context);
    objects.list = list;
    const stored = new Set(await storedObjects(`${context.configuration.dataDir}/objects`));
    const named = await referencedObjects(context);
    expect(named).toContain(`${storeId}/${release.index_sha256}`);
    expect(named.filter((object) => !stored.has(object))).toEqual([]);
  });
});
