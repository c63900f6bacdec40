import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { someSteps } from '../../../../test/faults.ts';
import { copyStorage } from '../../src/adapters/objects/copy-storage.ts';
import { DiskObjectFolder } from '../../src/adapters/objects/disk/object-folder.ts';
import type { ObjectStore } from '../../src/objects/store.ts';
import type { Actor } from '../actor.ts';
import { openTestSqlite, type TestDatabase } from '../databases.ts';
import { Publisher } from '../libraries/publisher.ts';
import { startService, type TestService } from '../service.ts';
import { listObjects, storeIds } from './list-objects.ts';

describe('objects copied to another folder', () => {
  let folder: string;
  let database: TestDatabase;
  let services: TestService[];
  let from: TestService;
  let to: TestService;
  let ada: Actor;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'bindery-copy-'));
    database = await openTestSqlite();
    services = [];
    from = await serveFrom('old');
    to = await serveFrom('new');
    ada = await from.member('ada');
  });
  afterEach(async () => {
    for (const service of services) await service.close();
    await database.close();
    await rm(folder, { recursive: true, force: true });
  });

  /** One database, and objects in a folder of each service's own. */
  async function serveFrom(name: string): Promise<TestService> {
    const shared = { db: database.db, close: async () => {} };
    const service = await startService({ database: shared, dataDir: join(folder, name) });
    services.push(service);
    return service;
  }

  const copy = async (target: Pick<ObjectStore, 'findAbsent' | 'createDraft'> = to.context.objects) =>
    copyStorage(await storeIds(database.db), from.context.objects, target);

  async function publish(name: string, text: string): Promise<void> {
    const robots = new Publisher(ada, 'ada', name);
    await robots.publish({ 'a/b.txt': text, 'a/c.txt': 'the same', 'a/empty.txt': '' });
  }

  async function contentAt(service: TestService, name: string): Promise<string> {
    const { body } = await new Publisher(service.anonymous.with(ada.headers), 'ada', name).actor.post<{
      files: { url: string }[];
    }>(`/namespaces/ada/libraries/${name}/files-presign`, {
      paths: ['a/b.txt'],
    });
    return (await fetch(body.files[0]?.url ?? '')).text();
  }

  test('are served from there unchanged, and none is removed from the old folder', async () => {
    await publish('robots', 'one');
    await publish('cups', 'two');
    const before = await listObjects(from);
    expect(await copy()).toMatchObject({ objects: before.length, copied: before.length, damaged: [] });
    expect(await listObjects(to)).toEqual(before);
    expect(await listObjects(from)).toEqual(before);
    expect([await contentAt(to, 'robots'), await contentAt(to, 'cups')]).toEqual(['one', 'two']);
  });

  test('are copied once; a second run copies only what was added since', async () => {
    await publish('robots', 'one');
    await copy();
    expect(await copy()).toMatchObject({ copied: 0, bytes: 0 });
    await publish('robots', 'another');
    const second = await copy();
    expect(second.copied).toBeGreaterThan(0);
    expect(await listObjects(to)).toEqual(await listObjects(from));
    expect(await contentAt(to, 'robots')).toBe('another');
  });

  test('are complete in the end, however often the copy is interrupted', async () => {
    for (const text of ['one', 'two', 'three', 'four', 'five', 'six', 'seven']) await publish(text, text);
    const all = await listObjects(from);
    for (const kept of someSteps(40, { short: 10, long: 40 })) {
      let left = kept % 5;
      const { objects } = to.context;
      const cut = copy({
        findAbsent: (storeId, contents) => objects.findAbsent(storeId, contents),
        createDraft: async (storeId) => {
          if (left-- === 0) throw new Error('cut short');
          return objects.createDraft(storeId);
        },
      });
      await cut.catch((error: Error) => expect(error.message).toBe('cut short'));
      for (const object of await listObjects(to)) expect(all).toContain(object);
    }
    await copy();
    expect(await listObjects(to)).toEqual(all);
  });

  test('that are damaged are reported and not copied', async () => {
    await publish('robots', 'whole');
    const [storeId = ''] = await storeIds(database.db);
    const disk = new DiskObjectFolder(join(folder, 'old', 'objects'));
    let sha256 = '';
    for await (const object of from.context.objects.list(storeId))
      if (object.size === 5) sha256 = object.sha256;
    const file = disk.fileOf({ storeId, sha256 });
    await rm(file, { force: true });
    await writeFile(file, 'wrong');
    expect((await copy()).damaged).toEqual([{ storeId, sha256 }]);
    expect(await to.context.objects.size({ storeId, sha256 })).toBe(null);
  });
});
