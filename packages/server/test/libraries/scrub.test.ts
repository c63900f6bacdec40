import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskObjectFolder } from '../../src/adapters/objects/disk/object-folder.ts';
import type { MaintenanceContext } from '../../src/context.ts';
import { Scrubber, startScrub } from '../../src/objects/health/scrub.ts';
import { openScrub, readScrub } from '../../src/objects/health/scrub-progress.ts';
import { diagnoseScrub } from '../../src/operations/diagnoses.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { fileEntry, Publisher } from './publisher.ts';

const DAY = 86_400;
const MINUTE = 60_000;
const FILES = { 'arm.stl': 'an arm', 'base.stl': 'a base', 'cup.stl': 'a cup' };
const never = () => false;

describe.each(databases)('a scrub over $name', ({ open }) => {
  let service: TestService;
  let robots: Publisher;
  let read: string[];
  let scrubbed: number;
  let context: MaintenanceContext;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    robots = new Publisher(await service.member('ada'), 'ada', 'robots');
    read = [];
    scrubbed = 0;
    const { objects, metrics } = service.context;
    context = {
      ...service.context,
      metrics: Object.assign(Object.create(metrics), { scrubbed: (bytes: number) => (scrubbed += bytes) }),
      objects: new Proxy(objects, {
        get(target, name) {
          const value = Reflect.get(target, name);
          if (typeof value !== 'function') return value;
          if (name !== 'findIntact') return value.bind(target);
          return (storeId: string, some: { sha256: string }[]) => {
            read.push(...some.map(({ sha256 }) => `${storeId}/${sha256}`));
            return value.call(target, storeId, some);
          };
        },
      }),
    };
  });
  afterEach(() => service.close());

  const scrubber = (over: Partial<ConstructorParameters<typeof Scrubber>[1]> = {}) =>
    new Scrubber(context, { bytesPerSecond: 1_000, pause: async () => {}, ...over });

  async function stored(): Promise<string[]> {
    const names = await service.context.db.selectFrom('library_names').select('store_id').execute();
    const found: string[] = [];
    for (const { store_id } of names) {
      for await (const { sha256 } of service.context.objects.list(store_id))
        found.push(`${store_id}/${sha256}`);
    }
    return found.sort();
  }

  async function rot(content: string): Promise<string> {
    const { store_id: storeId } = await service.context.db
      .selectFrom('libraries')
      .select('store_id')
      .executeTakeFirstOrThrow();
    const { sha256 } = fileEntry('', content);
    const folder = new DiskObjectFolder(join(service.context.configuration.dataDir, 'objects'));
    const file = folder.fileOf({ storeId, sha256 });
    const bytes = await readFile(file);
    bytes[0] = (bytes[0] ?? 0) ^ 1;
    await writeFile(file, bytes);
    return sha256;
  }

  test('records a damaged file, which then is not "present", until it is pushed again', async () => {
    await robots.publish(FILES);
    const sha256 = await rot('a base');
    const one = scrubber();
    await one.run(never);
    expect(read.sort()).toEqual(await stored());
    const damaged = () => service.context.db.selectFrom('damaged_objects').select('sha256').execute();
    expect(await damaged()).toEqual([{ sha256 }]);
    const row = await readScrub(service.context.db);
    expect(row).toMatchObject({
      last_damaged: 1,
      last_objects: read.length,
      last_bytes: scrubbed,
      store_id: '',
    });
    expect(diagnoseScrub(1, row, row?.ended_at ?? 0)).toMatchObject({
      status: 'warning',
      message: expect.stringContaining('The last pass finished today'),
    });

    const files = Object.entries(FILES).map(([path, text]) => {
      const { path: relativePath, size, sha256: hash } = fileEntry(path, text);
      return { relativePath, size, sha256: hash };
    });
    const { body } = await robots.actor.post<{ files: { transfer: { kind: string } }[] }>(
      `${robots.path}/upload-authorizations`,
      { files },
    );
    expect(body.files.map(({ transfer }) => transfer.kind)).toEqual(['present', 'single-put', 'present']);
    await robots.publish(FILES);
    service.advance(DAY + 1);
    await one.run(never);
    expect(await damaged()).toEqual([]);
    expect(await readScrub(service.context.db)).toMatchObject({ last_damaged: 0 });
  });

  test('resumes where it was stopped, across several libraries, and reads everything once', async () => {
    for (const name of ['one', 'two', 'three']) {
      await new Publisher(robots.actor, 'ada', name).publish({ 'a.stl': name, ...FILES });
    }
    let batches = 0;
    for (let restarts = 0; restarts < 10; restarts++) {
      const before = read.length;
      const one = scrubber();
      await one.run(() => read.length > before);
      await one.release();
      batches = Math.max(batches, read.length - before);
    }
    expect(batches).toBeLessThan((await stored()).length);
    expect(read.sort()).toEqual(await stored());
  });

  test('runs on one server at a time, and on another after a minute without a sign of life', async () => {
    await robots.publish(FILES);
    let now = 0;
    const gone = Promise.withResolvers<void>();
    const first = scrubber({ bytesPerSecond: 1, pause: () => gone.promise, now: () => now });
    const second = scrubber({ now: () => now });
    const running = first.run(never);
    await expect.poll(() => read.length).toBeGreaterThan(0);
    await expect.poll(async () => (await readScrub(service.context.db))?.objects).toBeGreaterThan(0);
    const readByFirst = read.length;
    await second.run(never);
    now += MINUTE - 1;
    await second.run(never);
    expect(read.length).toBe(readByFirst);
    now += 1;
    await second.run(never);
    expect(await readScrub(service.context.db)).toMatchObject({ last_objects: (await stored()).length });
    // The first comes back, and finds that it is not its own any more.
    gone.resolve();
    await running;
    expect(read.sort()).toEqual(await stored());
  });

  test('keeps to its byte rate, and starts again a day after it ended', async () => {
    let waited = 0;
    const one = scrubber({
      pause: async (milliseconds) => {
        waited += milliseconds;
      },
    });
    await one.run(never);
    expect(await readScrub(service.context.db)).toMatchObject({ ended_at: null });
    await robots.publish({ 'big.stl': 'x'.repeat(50_000) });
    await one.run(never);
    expect(waited / 1_000).toBeCloseTo(scrubbed / 1_000, 3);
    const once = read.length;
    await one.run(never);
    expect(read.length).toBe(once);
    service.advance(DAY + 1);
    await one.run(never);
    expect(read.length).toBe(2 * once);
  });

  test('records no damage for objects that are deleted while it runs', async () => {
    await robots.publish(FILES);
    await openScrub(service.context.db);
    const { objects } = service.context;
    const intact = context.objects.findIntact.bind(context.objects);
    const deleting: MaintenanceContext = {
      ...context,
      objects: Object.assign(Object.create(context.objects), {
        list: objects.list.bind(objects),
        absent: objects.findAbsent.bind(objects),
        size: objects.size.bind(objects),
        intact: async (storeId: string, some: { sha256: string; size: number }[]) => {
          await objects.deleteStore(storeId);
          return intact(storeId, some);
        },
      }),
    };
    await new Scrubber(deleting, { bytesPerSecond: 1_000, pause: async () => {} }).run(never);
    expect(await service.context.db.selectFrom('damaged_objects').selectAll().execute()).toEqual([]);
  });

  test('that is stopped reads no further, and another server continues at once', async () => {
    await robots.publish(FILES);
    await new Publisher(robots.actor, 'ada', 'tools').publish(FILES);
    const { db } = service.context;
    // At this rate, it pauses for minutes after the first library.
    const running = startScrub(context, { bytesPerSecond: 1, interval: 1 });
    await expect.poll(async () => (await readScrub(db))?.objects).toBeGreaterThan(0);
    await running.stop();
    const readBefore = read.length;
    expect(readBefore).toBeLessThan((await stored()).length);
    expect(await readScrub(db)).toMatchObject({ holder: '', objects: readBefore });
    await scrubber().run(never);
    expect(await readScrub(db)).toMatchObject({ last_objects: (await stored()).length });
    expect(read.sort()).toEqual(await stored());
  });
});
