import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskObjectFolder } from '../../src/adapters/objects/disk/object-folder.ts';
import { recordDamaged } from '../../src/objects/health/damage.ts';
import type { FsckReport } from '../../src/objects/health/finding.ts';
import { fsck } from '../../src/objects/health/fsck.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import { unregisteredIn } from '../../src/objects/unregistered.ts';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { Publisher, sha256 } from './publisher.ts';
import { storedObjects } from './stored-objects.ts';
import { flipBit } from './watched-service.ts';

const FILES = { 'mug/mug.txt': 'a mug', 'pan/pan.txt': 'a pan', 'pot/pot.txt': 'a pot' };
const MUG = sha256('a mug');
const TWO_DAYS = 2 * 86_400;

describe.each(databases)('fsck over $name', ({ open }) => {
  let dataDir: string;
  let service: TestService;
  let ada: Actor;
  let publisher: Publisher;
  let storeId: string;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'bindery-fsck-test-'));
    service = await startService({ database: await open(), dataDir });
    ada = await service.member('ada');
    publisher = new Publisher(ada, 'ada', 'kitchen');
    await publisher.publish(FILES);
    storeId = (await row()).store_id;
  });
  afterEach(async () => {
    await service.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const row = () => service.context.db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
  const folder = () => new DiskObjectFolder(join(dataDir, 'objects'));
  const fileOf = (hash: string) => folder().fileOf({ storeId, sha256: hash });

  function check({ readShare = 0, repair = false } = {}): Promise<FsckReport> {
    return fsck(service.context, { readShare, repair }, () => folder().stores());
  }

  /** What a check says is wrong, in short. */
  const wrong = ({ findings }: FsckReport) =>
    findings.map(({ problem, what, path, isRepaired }) => ({
      problem,
      what,
      ...(path !== null && { path }),
      ...(isRepaired && { isRepaired }),
    }));

  test('finds nothing wrong in an intact library, and reads only the share of files it is asked to', async () => {
    expect(await check()).toMatchObject({
      libraries: 1,
      revisions: 1,
      objects: 5,
      objectsRead: 2,
      isSound: true,
    });
    expect(await check({ readShare: 1 })).toMatchObject({ objectsRead: 5, findings: [], isSound: true });
  });

  test('counts an index that the disk cannot read as damaged, and rebuilds it', async () => {
    const { index_sha256 } = await row();
    const { objects } = service.context;
    const [read, write] = [objects.read.bind(objects), objects.write.bind(objects)];
    let unreadable: string | null = index_sha256;
    objects.read = async (object) => {
      if (object.sha256 === unreadable) throw Object.assign(new Error('EIO: i/o error'), { code: 'EIO' });
      return read(object);
    };
    objects.write = async (...written) => {
      unreadable = null;
      return write(...written);
    };
    expect(wrong(await check())).toEqual([{ problem: 'damaged', what: 'index' }]);
    expect(wrong(await check({ repair: true }))).toEqual([
      { problem: 'damaged', what: 'index', isRepaired: true },
    ]);
  });

  test('finds a missing file, even one only in a release of a library in the Trash', async () => {
    await ada.post(`${publisher.path}/releases`, { name: 'v1' });
    await publisher.publish({ 'pan/pan.txt': 'a pan' });
    await ada.delete(publisher.path);
    await rm(fileOf(MUG));
    const report = await check({ repair: true });
    expect(wrong(report)).toEqual([{ problem: 'missing', what: 'file', path: 'mug/mug.txt' }]);
    expect(report).toMatchObject({ isSound: false, revisions: 2 });
    expect(report.findings[0]).toMatchObject({ library: 'ada/kitchen', revision: 1, sha256: MUG });
  });

  test('finds a file that is too short', async () => {
    await truncate(fileOf(MUG), 2);
    expect(wrong(await check())).toEqual([{ problem: 'wrong-size', what: 'file', path: 'mug/mug.txt' }]);
  });

  test('finds a flipped bit only in files it reads, and remembers it until the file is pushed again', async () => {
    await flipBit(fileOf(MUG), 1);
    expect((await check()).isSound).toBe(true);
    expect(wrong(await check({ readShare: 1, repair: true }))).toEqual([
      { problem: 'damaged', what: 'file', path: 'mug/mug.txt' },
    ]);
    // What is known to be damaged is told without reading.
    expect(wrong(await check())).toEqual([{ problem: 'damaged', what: 'file', path: 'mug/mug.txt' }]);
    await publisher.publish(FILES);
    expect((await check({ readShare: 1 })).isSound).toBe(true);
  });

  test('no longer counts a file as damaged once it was restored by hand and read', async () => {
    await flipBit(fileOf(MUG), 1);
    await check({ readShare: 1, repair: true });
    await flipBit(fileOf(MUG), 1);
    const file = { what: 'file', path: 'mug/mug.txt' };
    expect(wrong(await check())).toEqual([{ ...file, problem: 'damaged' }]);
    const restored = { ...file, problem: 'recorded-as-damaged' };
    expect(wrong(await check({ readShare: 1 }))).toEqual([restored]);
    expect(wrong(await check({ readShare: 1, repair: true }))).toEqual([{ ...restored, isRepaired: true }]);
    expect((await check()).isSound).toBe(true);
  });

  test.each(['manifest_sha256', 'index_sha256'] as const)(
    'finds %s damaged even if not asked to read files',
    async (column) => {
      await flipBit(fileOf((await row())[column]), 10);
      expect(wrong(await check())).toEqual([{ problem: 'damaged', what: column.replace('_sha256', '') }]);
    },
  );

  test.each(['damaged', 'missing'] as const)(
    'with repair, rebuilds an index that is %s and checks its files',
    async (problem) => {
      const file = fileOf((await row()).index_sha256);
      if (problem === 'damaged') await flipBit(file, 10);
      else await rm(file);
      await rm(fileOf(MUG));
      expect(wrong(await check())).toEqual([{ problem, what: 'index' }]);
      expect(wrong(await check({ repair: true }))).toEqual([
        { problem, what: 'index', isRepaired: true },
        { problem: 'missing', what: 'file', path: 'mug/mug.txt' },
      ]);
      expect(wrong(await check())).toEqual([{ problem: 'missing', what: 'file', path: 'mug/mug.txt' }]);
      expect((await ada.get(`${publisher.path}/assets/pan`)).status).toBe(200);
    },
  );

  test('reports an index as not repaired if the manifest is missing too', async () => {
    const { index_sha256, manifest_sha256 } = await row();
    await rm(fileOf(index_sha256));
    await rm(fileOf(manifest_sha256));
    expect(wrong(await check({ repair: true }))).toEqual([
      { problem: 'missing', what: 'manifest' },
      { problem: 'missing', what: 'index' },
    ]);
  });

  test('finds an unreferenced object after the grace period, and with repair leaves it to reclaim', async () => {
    const orphan = await service.context.objects.write(storeId, Buffer.from('nobody names this'));
    expect((await check()).isSound).toBe(true);
    service.advance(TWO_DAYS);
    await reclaim(service.context);
    await service.context.objects.write(storeId, Buffer.from('nobody names this'));
    await service.context.db.deleteFrom('doomed_objects').execute();
    await service.context.db.updateTable('library_names').set({ reclaim_due_at: null }).execute();
    const named = (await storedObjects(join(dataDir, 'objects'))).length - 1;

    const report = await check();
    expect(wrong(report)).toEqual([{ problem: 'orphan', what: 'object' }]);
    expect(report.findings[0]?.sha256).toBe(orphan.sha256);
    await reclaim(service.context);
    expect(wrong(await check())).toEqual([{ problem: 'orphan', what: 'object' }]);

    expect(wrong(await check({ repair: true }))).toEqual([
      { problem: 'orphan', what: 'object', isRepaired: true },
    ]);
    await reclaim(service.context);
    expect(await storedObjects(join(dataDir, 'objects'))).toHaveLength(named);
    expect(await check({ readShare: 1 })).toMatchObject({ findings: [], isSound: true });
  });

  test('finds rows about missing objects, and with repair removes only those', async () => {
    const gone = sha256('was here once');
    await recordDamaged(service.context, storeId, [gone]);
    const pending = {
      store_id: storeId,
      state: 'pending' as const,
      since: service.context.clock(),
      deleter: null,
    };
    await service.context.db
      .insertInto('doomed_objects')
      .values([gone, MUG].map((hash) => ({ ...pending, sha256: hash })))
      .execute();
    const rows = { problem: 'stale-row', what: 'row' };
    expect(wrong(await check())).toEqual([rows, rows]);
    const repaired = { ...rows, isRepaired: true };
    expect(wrong(await check({ repair: true }))).toEqual([repaired, repaired]);
    expect((await check()).isSound).toBe(true);
    const left = await service.context.db.selectFrom('doomed_objects').select('sha256').execute();
    expect(left).toEqual([{ sha256: MUG }]);
  });

  test('finds wrong sums of unregistered uploads, and with repair adds them up again', async () => {
    await publisher.upload({ 'cup/cup.txt': 'a cup' });
    const { db } = service.context;
    await db.updateTable('library_names').set({ unregistered_bytes: 1 }).execute();
    const sums = { problem: 'miscounted', what: 'row' };
    expect(wrong(await check())).toEqual([sums]);
    expect(wrong(await check({ repair: true }))).toEqual([{ ...sums, isRepaired: true }]);
    expect((await check()).isSound).toBe(true);
    expect(await unregisteredIn(db, 'ada')).toEqual({ files: 1, bytes: 5 });
  });

  test('reports a store that belongs to no library, and does not touch it', async () => {
    await service.context.objects.write('stray', Buffer.from('of another database'));
    const report = await check({ repair: true });
    expect(report).toMatchObject({ isSound: false, findings: [{ what: 'store', storeId: 'stray' }] });
    expect(await storedObjects(join(dataDir, 'objects'))).toContain(`stray/${sha256('of another database')}`);
  });

  test('reports and records nothing about a library that is purged while its files are read', async () => {
    const { objects } = service.context;
    let reads = 0;
    const purging = new Proxy(objects, {
      get: (store, name: keyof typeof objects) => {
        const member = store[name];
        if (typeof member !== 'function') return member;
        if (name !== 'findIntact') return member.bind(store);
        return async (...asked: Parameters<typeof objects.findIntact>) => {
          // The manifest is read first, then the files.
          if (++reads === 2) {
            await ada.delete(publisher.path);
            await ada.delete(`${publisher.path}/purge`);
          }
          return store.findIntact(...asked);
        };
      },
    });
    const report = await fsck({ ...service.context, objects: purging }, { readShare: 1, repair: true });
    expect(reads).toBe(2);
    expect(report).toMatchObject({ findings: [], isSound: true });
    expect(await service.context.db.selectFrom('damaged_objects').selectAll().execute()).toEqual([]);
  });

  test('finds nothing wrong while libraries are published, purged and reclaimed', async () => {
    let running = true;
    const changes = (async () => {
      for (let round = 0; running; round++) {
        await publisher.publish({ 'mug/mug.txt': `mug ${round}` });
        const brief = new Publisher(ada, 'ada', `brief-${round}`);
        await brief.publish({ 'a/a.txt': `${round}` });
        await ada.delete(brief.path);
        await ada.delete(`${brief.path}/purge`);
        await reclaim(service.context);
      }
    })();
    try {
      for (let round = 0; round < 5; round++) {
        expect(wrong(await check({ readShare: 1, repair: true }))).toEqual([]);
      }
    } finally {
      running = false;
      await changes;
    }
    expect(await check({ readShare: 1 })).toMatchObject({ isSound: true });
  });
});
