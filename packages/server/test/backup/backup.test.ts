import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { DiskFiles, StoredBackup } from '../../src/adapters/backup/stored-backup.ts';
import { postgresDumper, postgresRestorer } from '../../src/adapters/database/dump-postgres.ts';
import { sqliteDumper, sqliteRestorer } from '../../src/adapters/database/dump-sqlite.ts';
import { openPostgres } from '../../src/adapters/database/postgres.ts';
import { openSqlite } from '../../src/adapters/database/sqlite.ts';
import { DiskObjectFolder } from '../../src/adapters/objects/disk/object-folder.ts';
import { backUp } from '../../src/backup/back-up.ts';
import { storedLibraries } from '../../src/backup/library-objects.ts';
import type { DatabaseDumper } from '../../src/backup/ports.ts';
import { restore } from '../../src/backup/restore.ts';
import { recordDamaged } from '../../src/objects/health/damage.ts';
import { fsck } from '../../src/objects/health/fsck.ts';
import { reclaim } from '../../src/objects/retention/reclaim.ts';
import type { Actor } from '../actor.ts';
import { databases, type LocatedDatabase } from '../databases.ts';
import { publish as publishLibrary } from '../libraries/publish.ts';
import { Publisher, sha256 } from '../libraries/publisher.ts';
import { referencedObjects } from '../libraries/stored-objects.ts';
import { flipBit } from '../libraries/watched-service.ts';
import { startService, type TestService } from '../service.ts';

const KINDS = {
  SQLite: { dump: sqliteDumper, restore: sqliteRestorer, open: openSqlite },
  PostgreSQL: { dump: postgresDumper, restore: postgresRestorer, open: openPostgres },
};

describe.each(databases)('a backup while the service runs over $name', ({ name, open }) => {
  const kind = KINDS[name as keyof typeof KINDS];
  let folder: string;
  let database: LocatedDatabase;
  let empty: LocatedDatabase | null = null;
  let service: TestService;
  let ada: Actor;
  let backup: StoredBackup;
  let target: DiskObjectFolder;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-backup-'));
    database = await open();
    service = await startService({ database, dataDir: join(folder, 'data') });
    ada = await service.member('ada');
    backup = new StoredBackup(new DiskFiles(join(folder, 'backup')));
    target = new DiskObjectFolder(join(folder, 'backup'));
  });
  afterEach(async () => {
    await service.close();
    await empty?.close();
    empty = null;
    await rm(folder, { recursive: true, force: true });
  });

  const publish = (library: string, text: string) =>
    new Publisher(ada, 'ada', library).publish({ 'mug/mug.txt': text, 'mug/same.txt': 'the same' });

  /** Backs up; `meanwhile` happens between each dump of the database and the copy of what it names. */
  function run(meanwhile: (attempt: number) => Promise<unknown> = async () => {}) {
    const plain = kind.dump(database.location);
    let attempt = 0;
    const interrupted: DatabaseDumper = {
      format: plain.format,
      dump: async (file) => {
        const libraries = await plain.dump(file);
        await meanwhile(++attempt);
        return libraries;
      },
    };
    const objects = new DiskObjectFolder(join(folder, 'data', 'objects'));
    return backUp(interrupted, objects, backup, target, { clock: Date.now, verify: false });
  }

  /** Restores the backup and answers the libraries that are there, every object of them verified. */
  async function restored(): Promise<string[]> {
    let location = join(folder, 'restored.db');
    if (name === 'PostgreSQL') {
      empty = await open(async () => {});
      location = empty.location;
    }
    const objects = new DiskObjectFolder(join(folder, 'restored', 'objects'));
    const result = await restore(backup, target, kind.restore(location), objects, async (place) =>
      kind.open(place),
    );
    expect(result.lost).toEqual([]);
    const db = kind.open(location);
    try {
      return (await storedLibraries(db)).map(({ address }) => address);
    } finally {
      await db.destroy();
    }
  }

  const openRestored = () =>
    kind.open(name === 'PostgreSQL' ? (empty?.location ?? '') : join(folder, 'restored.db'));

  async function restoredReleases() {
    const db = openRestored();
    try {
      return await db.selectFrom('releases').selectAll().execute();
    } finally {
      await db.destroy();
    }
  }

  test('leaves out a library that is purged while it is being made', async () => {
    await publish('kept', 'a');
    await publish('purged', 'b');
    const { lost } = await run(async (attempt) => {
      if (attempt > 1) return;
      await ada.delete('/namespaces/ada/libraries/purged');
      expect(await ada.delete('/namespaces/ada/libraries/purged/purge')).toMatchObject({ status: 200 });
    });
    expect(lost).toEqual([]);
    expect(await restored()).toEqual(['ada/kept']);
  });

  test('includes platform artifacts and their list, from which a damaged index is rebuilt later', async () => {
    const picture = '.bindery/thumbnails/mug.webp';
    await publishLibrary(ada, 'ada/drawn', {
      assets: [{ id: 'mug', thumbnail: picture, files: { 'mug/mug.obj': 'a mug' } }],
      generated: { [picture]: 'a picture' },
    });
    await run();
    await restored();
    const db = openRestored();
    const dataDir = join(folder, 'restored');
    const again = await startService({ database: { db, close: () => db.destroy() }, dataDir });
    try {
      const index = await db
        .selectFrom('libraries')
        .select(['store_id as storeId', 'index_sha256 as sha256'])
        .executeTakeFirstOrThrow();
      await flipBit(await again.context.objects.localFile(index), 10);
      const { findings } = await fsck(again.context, { readShare: 0, repair: true });
      expect(findings).toMatchObject([{ problem: 'damaged', what: 'index', isRepaired: true }]);
      const asked = { paths: [picture] };
      const { body } = await (await again.member('ada')).post<{ files: { url: string }[] }>(
        '/namespaces/ada/libraries/drawn/files-presign',
        asked,
      );
      expect(await (await fetch(body.files[0]?.url ?? '')).text()).toBe('a picture');
    } finally {
      await again.close();
    }
  });

  test('restores what was marked damaged after it was backed up, without damage records or pending uploads', async () => {
    await publish('mugs', 'a mug');
    await run();
    const { db } = database;
    const [mugs] = await storedLibraries(db);
    const { storeId = '', revisions = [] } = mugs ?? {};
    await recordDamaged(service.context, storeId, [revisions[0]?.manifest ?? '']);
    await new Publisher(ada, 'ada', 'mugs').upload({ 'cup/cup.txt': 'a cup' });
    const { id: account_id } = await db.selectFrom('accounts').select('id').executeTakeFirstOrThrow();
    await db.insertInto('unregistered_bytes').values({ account_id, store_id: storeId, bytes: 5 }).execute();
    await run();
    await restored();
    const back = openRestored();
    onTestFinished(() => back.destroy());
    for (const table of ['damaged_objects', 'unregistered_bytes', 'upload_receipts'] as const)
      expect(await back.selectFrom(table).selectAll().execute(), table).toEqual([]);
  });

  test('reports an object that the disk cannot read as damaged, and includes everything else', async () => {
    await publish('mugs', 'a mug');
    const objects = new DiskObjectFolder(join(folder, 'data', 'objects'));
    const unreadable = sha256('a mug');
    const stream = objects.stream.bind(objects);
    objects.stream = async function* (object) {
      if (object.sha256 === unreadable)
        throw Object.assign(new Error('EIO'), { code: 'EIO', syscall: 'read' });
      yield* stream(object);
    };
    const result = await backUp(kind.dump(database.location), objects, backup, target, {
      clock: Date.now,
      verify: false,
    });
    expect(result.lost).toEqual([{ library: 'ada/mugs', sha256: unreadable, reason: 'damaged' }]);
    expect(result.copied).toBe(result.objects - 1);
  });

  test('is complete even if libraries are constantly published and purged', async () => {
    for (const library of ['one', 'two', 'three']) await publish(library, library);
    let running = true;
    const changes = (async () => {
      for (let round = 0; running; round++) {
        await publish('one', `round ${round}`);
        await publish(`brief-${round}`, `round ${round}`);
        await ada.delete(`/namespaces/ada/libraries/brief-${round}`);
        await ada.delete(`/namespaces/ada/libraries/brief-${round}/purge`);
      }
    })();
    try {
      expect((await run()).lost).toEqual([]);
      expect((await run()).lost).toEqual([]);
    } finally {
      running = false;
      await changes;
    }
    expect(await restored()).toEqual(expect.arrayContaining(['ada/one', 'ada/three', 'ada/two']));
  });

  test('keeps no objects that are no longer needed, and an interrupted one leaves the previous one intact', async () => {
    await publish('mugs', 'first');
    await run();
    await publish('mugs', 'second');
    const cut = run(async () => {
      throw new Error('the power went');
    });
    await expect(cut).rejects.toThrow('the power went');
    expect(await restored()).toEqual(['ada/mugs']);
    const { objects } = await run();
    const kept = [];
    for (const storeId of await target.stores()) {
      for await (const object of target.list(storeId)) kept.push(object);
    }
    expect(kept).toHaveLength(objects);
  });

  test('includes every release, even after later pushes and reclaiming', async () => {
    await publish('mugs', 'released');
    await ada.post('/namespaces/ada/libraries/mugs/releases', { name: 'v1' });
    await publish('mugs', 'second');
    service.advance(2 * 86_400);
    await reclaim(service.context);
    const { objects, lost, libraries } = await run();
    expect({ lost, libraries }).toEqual({ lost: [], libraries: 1 });
    expect(await restored()).toEqual(['ada/mugs']);
    expect(await restoredReleases()).toMatchObject([{ name: 'v1', revision: 1 }]);
    const kept = [];
    for (const storeId of await target.stores()) {
      for await (const object of target.list(storeId)) kept.push({ storeId, sha256: object.sha256 });
    }
    expect(kept).toHaveLength(objects);
    const named = await referencedObjects(service.context);
    expect(kept.map(({ storeId, sha256 }) => `${storeId}/${sha256}`).sort()).toEqual(named);

    await ada.delete('/namespaces/ada/libraries/mugs/releases/v1');
    expect((await run()).objects).toBeLessThan(objects);
  });
});
