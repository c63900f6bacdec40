import { chown, copyFile, lstat, mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { DiskFiles, StoredBackup } from '../../src/adapters/backup/stored-backup.ts';
import { postgresRestorer } from '../../src/adapters/database/dump-postgres.ts';
import { sqliteRestorer } from '../../src/adapters/database/dump-sqlite.ts';
import { DiskObjectFolder } from '../../src/adapters/objects/disk/object-folder.ts';
import type { DatabaseRestorer, ObjectFolder } from '../../src/backup/ports.ts';
import { restore } from '../../src/backup/restore.ts';
import { openMigratedDatabase } from '../../src/boot/database.ts';
import { startService as serve } from '../../src/boot/main.ts';
import { type Configuration, readConfiguration } from '../../src/configuration/configuration.ts';
import { backUpService, restoreService } from '../../src/operations/backup.ts';
import { diagnose } from '../../src/operations/doctor.ts';
import { migrateSchema } from '../../src/operations/migrate.ts';
import { administer } from '../../src/operations/operations.ts';
import { dataFolderLayout } from '../../src/process/data-folder.ts';
import { databases, type LocatedDatabase } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService } from '../service.ts';

const UNFINISHED = 'comes from a restore that has not finished';

/** Backups whose making and restoring is interrupted, as by a process that is killed. */
describe.each(databases)('a restore into $name', ({ name, open }) => {
  let folder: string;
  let database: LocatedDatabase;
  let empty: LocatedDatabase | null = null;
  let target: Configuration;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-restore-'));
    const dataDir = join(folder, 'data');
    await mkdir(dataDir);
    database = await open();
    const service = await startService({ database: { ...database, close: async () => {} }, dataDir });
    const ada = await service.member('ada');
    const files = Object.fromEntries(Array.from({ length: 9 }, (_, at) => [`mug/${at}.txt`, `mug ${at}`]));
    await new Publisher(ada, 'ada', 'mugs').publish(files);
    await service.close();
    if (name === 'SQLite') await database.db.destroy();
    const source = {
      ...configurationOf(dataDir),
      databaseUrl: name === 'PostgreSQL' ? database.location : null,
    };
    if (name === 'SQLite') await copyFile(database.location, dataFolderLayout(dataDir).databaseFile);
    await backUpService(source, join(folder, 'backup'), { verify: false });
    if (name === 'PostgreSQL') empty = await open(async () => {});
    target = { ...configurationOf(join(folder, 'restored')), databaseUrl: empty?.location ?? null };
  });
  afterEach(async () => {
    await database.close();
    await empty?.close();
    empty = null;
    await rm(folder, { recursive: true, force: true });
  });

  function configurationOf(dataDir: string): Configuration {
    return readConfiguration({
      BINDERY_DATA_DIR: dataDir,
      BINDERY_ENCODER: 'off',
      BINDERY_PORT: '0',
      BINDERY_LOG_LEVEL: 'silent',
    });
  }

  const layout = () => dataFolderLayout(target.dataDir);

  function restorer(): DatabaseRestorer {
    return target.databaseUrl === null
      ? sqliteRestorer(layout().databaseFile)
      : postgresRestorer(target.databaseUrl);
  }

  /** Restores until it is interrupted, either in the database or while objects are copied. */
  async function interrupted(
    where: 'before the dump' | 'in the objects' | 'in the last step',
  ): Promise<void> {
    await mkdir(layout().objects, { recursive: true });
    const backup = new StoredBackup(new DiskFiles(join(folder, 'backup')));
    const objects: ObjectFolder = new DiskObjectFolder(layout().objects);
    const database = restorer();
    const cut = () => Promise.reject(new Error('the power went'));
    if (where === 'before the dump') database.restore = cut;
    if (where === 'in the last step') database.finish = cut;
    if (where === 'in the objects') {
      const put = objects.put.bind(objects);
      let left = 4;
      objects.put = (object, content) => (left-- > 0 ? put(object, content) : cut());
    }
    const source = new DiskObjectFolder(join(folder, 'backup'));
    await expect(
      restore(backup, source, database, objects, (place) => openMigratedDatabase(target, place)),
    ).rejects.toThrow('the power went');
  }

  test.each(['in the objects', 'in the last step'] as const)(
    'that is interrupted %s is refused by the service and by commands, and can be repeated',
    async (where) => {
      await interrupted(where);
      await expect(serve(target)).rejects.toThrow(UNFINISHED);
      await expect(administer(target, async () => {}, { create: true })).rejects.toThrow(UNFINISHED);
      await expect(migrateSchema(target, { dryRun: true })).rejects.toThrow(UNFINISHED);
      await expect(backUpService(target, join(folder, 'another'), { verify: false })).rejects.toThrow(
        UNFINISHED,
      );
      const [found] = await diagnose(target);
      expect(found).toMatchObject({ part: 'database', status: 'failed' });
      expect(`${found?.message} ${found?.remedy}`).toContain('bindery admin restore');

      const again = await restoreService(target, join(folder, 'backup'));
      expect(again).toMatchObject({ libraries: 1, lost: [] });
      const service = await serve(target);
      await service.close();
      const revision = await administer(target, ({ db }) =>
        db.selectFrom('libraries').select('revision').executeTakeFirstOrThrow(),
      );
      expect(revision).toEqual({ revision: 1_000_001 });
      await expect(restoreService(target, join(folder, 'backup'))).rejects.toThrow('already');
    },
  );

  if (name === 'PostgreSQL') {
    /** Begins a restore that stops at its first object, until `goOn` is called. */
    async function begun() {
      await mkdir(layout().objects, { recursive: true });
      const objects: ObjectFolder = new DiskObjectFolder(layout().objects);
      const reached = Promise.withResolvers<void>();
      const released = Promise.withResolvers<void>();
      const put = objects.put.bind(objects);
      objects.put = async (...given) => {
        reached.resolve();
        await released.promise;
        return put(...given);
      };
      const result = restore(
        new StoredBackup(new DiskFiles(join(folder, 'backup'))),
        new DiskObjectFolder(join(folder, 'backup')),
        restorer(),
        objects,
        (place) => openMigratedDatabase(target, place),
      );
      await Promise.race([reached.promise, result]);
      return { result, goOn: () => released.resolve() };
    }

    test('is refused while another one into the same database is running, which it does not disturb', async () => {
      const { result, goOn } = await begun();
      const elsewhere = { ...target, dataDir: join(folder, 'elsewhere') };
      await expect(restoreService(elsewhere, join(folder, 'backup'))).rejects.toThrow(
        /Another restore into the PostgreSQL database at .* is running/,
      );
      goOn();
      expect(await result).toMatchObject({ libraries: 1, lost: [] });
      await expect(restoreService(elsewhere, join(folder, 'backup'))).rejects.toThrow('already has tables');
    });

    test('does not finish if the connection that keeps others out has broken', async () => {
      const { result, goOn } = await begun();
      const db = (empty as LocatedDatabase).db;
      const held = sql`from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())`;
      await sql`select pg_terminate_backend(pid) ${held}`.execute(db);
      await expect.poll(async () => (await sql`select 1 ${held}`.execute(db)).rows).toEqual([]);
      goOn();
      await expect(result).rejects.toThrow('Restore again');
      expect(await restoreService(target, join(folder, 'backup'))).toMatchObject({ libraries: 1, lost: [] });
    });
  }

  test('that is interrupted before the dump can be repeated', async () => {
    await interrupted('before the dump');
    expect(await restoreService(target, join(folder, 'backup'))).toMatchObject({ libraries: 1, lost: [] });
  });

  test('gives what root has written to the user of the service, who owns the data folder', async () => {
    const isRoot = process.getuid?.() === 0;
    const owner = isRoot ? 1_234 : process.getuid?.();
    const { path } = layout();
    await mkdir(path);
    if (isRoot) await chown(path, 1_234, 1_234);
    await restoreService(target, join(folder, 'backup'));
    const names = await readdir(path, { recursive: true });
    expect(names.length).toBeGreaterThan(0);
    const owners = await Promise.all(names.map(async (one) => (await lstat(join(path, one))).uid));
    expect(new Set(owners)).toEqual(new Set([owner]));
  });

  test('deletes what killed restores have left, and so does a backup', async () => {
    await interrupted('in the objects');
    const places = [layout().objects, join(folder, 'backup')];
    for (const place of places) {
      const shards = await shardsOf(place);
      await writeFile(join(shards[0] ?? '', '.0a7ac0de-0000-4000-8000-000000000000'), 'half of a mug');
    }
    if (name === 'SQLite') await writeFile(`${layout().databaseFile}.restoring-wal`, 'half of a page');
    await restoreService(target, join(folder, 'backup'));
    await backUpService(target, join(folder, 'backup'), { verify: false });
    for (const place of places) {
      for (const shard of await shardsOf(place)) {
        expect((await readdir(shard)).filter((file) => file.startsWith('.'))).toEqual([]);
      }
    }
    expect((await readdir(layout().path)).filter((file) => file.includes('restoring'))).toEqual([]);
  });

  test('creates no folder if there is no complete backup', async () => {
    await rm(join(folder, 'backup', 'backup.json'));
    await expect(restoreService(target, join(folder, 'backup'))).rejects.toThrow('no complete backup');
    expect(await readdir(folder)).not.toContain('restored');
  });
});

async function shardsOf(place: string): Promise<string[]> {
  const objects = join(place, 'objects');
  const [store = ''] = await readdir(objects);
  return (await readdir(join(objects, store))).map((shard) => join(objects, store, shard));
}
