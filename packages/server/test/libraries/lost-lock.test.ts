import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PresignedFile, Transfer } from '@bindery/contract';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { lockStore } from '../../src/objects/library-store.ts';
import { reclaim, reclaimStore } from '../../src/objects/retention/reclaim.ts';
import type { ObjectStore } from '../../src/objects/store.ts';
import { Actor } from '../actor.ts';
import { databases, type LocatedDatabase } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { fileEntry, manifestOf, Publisher } from './publisher.ts';
import { referencedObjects, storedObjects } from './stored-objects.ts';

const DAY = 86_400;

/**
 * Two processes over one database and one store. On PostgreSQL the session that holds the first one's lock is ended, as
 * where the network is cut; on SQLite, where one process serves a folder, each has locks that the other does not see.
 */
describe.each(databases)('on $name, a process that lost its lock', ({ name, open }) => {
  let database: LocatedDatabase;
  let dataDir: string;
  let service: TestService;
  let other: TestService;

  async function start(reclaimGraceSeconds: number) {
    database = await open();
    dataDir = await mkdtemp(join(tmpdir(), 'bindery-lost-lock-'));
    const databaseUrl = name === 'PostgreSQL' ? database.location : null;
    const configuration = { databaseUrl, reclaimGraceSeconds };
    const shared = { db: database.db, close: async () => {} };
    service = await startService({ database: shared, dataDir, configuration });
    other = await startService({ database: shared, dataDir, configuration });
  }
  async function stop() {
    await other.close();
    await service.close();
    await database.close();
    await rm(dataDir, { recursive: true, force: true });
  }
  beforeEach(() => start(DAY));
  afterEach(stop);

  const publisher = async ({ url }: TestService) =>
    new Publisher(new Actor(url, (await service.member('ada')).headers), 'ada', 'home');

  function advance(seconds: number) {
    service.advance(seconds);
    other.advance(seconds);
  }

  async function loseLocks() {
    if (name !== 'PostgreSQL') return;
    await sql`select pg_terminate_backend(pid) from pg_locks
      where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())`.execute(
      database.db,
    );
  }

  async function statementsThatWait(): Promise<number> {
    const { rows } = await sql<{ total: number }>`select count(*) as total from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`.execute(database.db);
    return rows[0]?.total ?? 0;
  }

  /** Stops the next call of a method of a store, until `goOn` is called. */
  function stopAt<Method extends 'delete' | 'deleteStore' | 'write'>(
    { context }: TestService,
    method: Method,
  ) {
    const reached = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const original: ObjectStore[Method] = context.objects[method].bind(
      context.objects,
    ) as ObjectStore[Method];
    context.objects[method] = (async (...given: unknown[]) => {
      context.objects[method] = original;
      reached.resolve();
      await released.promise;
      return (original as (...given: unknown[]) => unknown)(...given);
    }) as ObjectStore[Method];
    return { reached: reached.promise, goOn: () => released.resolve() };
  }

  /** Publishes twice, so that what the first revision alone held is no longer wanted. */
  async function replaceFirst() {
    const ada = await publisher(service);
    expect((await ada.publish({ 'arm.stl': 'first' })).status).toBe(201);
    expect((await ada.publish({ 'arm.stl': 'second' })).status).toBe(200);
    advance(DAY + 60);
  }

  async function purge() {
    const { actor, path } = await publisher(other);
    await actor.delete(path);
    expect((await actor.delete(`${path}/purge`)).status).toBe(200);
  }

  async function expectWhole(content: string) {
    const { actor, path } = await publisher(other);
    const { body } = await actor.post<{ files: PresignedFile[] }>(`${path}/files-presign`, {
      paths: ['arm.stl'],
    });
    const answer = await fetch(body.files[0]?.url ?? '');
    expect([answer.status, await answer.text()]).toEqual([200, content]);
    const stored = await storedObjects(join(dataDir, 'objects'));
    const named = await referencedObjects(other.context);
    expect(named.filter((object) => !stored.includes(object))).toEqual([]);
  }

  test('deletes nothing that another process published after the deletion began', async () => {
    await replaceFirst();
    const deletion = stopAt(service, 'delete');
    const pass = reclaim(service.context);
    await deletion.reached;
    await loseLocks();
    expect((await (await publisher(other)).publish({ 'arm.stl': 'first' })).status).toBe(200);
    deletion.goOn();
    await pass;
    await expectWhole('first');
  });

  test('fails its register with 503 if another process has deleted one of the files since it began', async () => {
    await replaceFirst();
    const ada = await publisher(service);
    await ada.upload({ 'arm.stl': 'first' });
    await ada.uploadManifest(manifestOf({ 'arm.stl': 'first' }));
    const write = stopAt(service, 'write');
    const register = ada.register();
    await write.reached;
    await loseLocks();
    await reclaim(other.context);
    write.goOn();
    expect((await register).status).toBe(503);
    await expectWhole('second');
    expect((await ada.publish({ 'arm.stl': 'first' })).status).toBe(200);
    await expectWhole('first');
  });

  test('fails its register with 503 if another process has published a revision since it began', async () => {
    await replaceFirst();
    const ada = await publisher(service);
    await ada.upload({ 'arm.stl': 'third' });
    await ada.uploadManifest(manifestOf({ 'arm.stl': 'third' }));
    const write = stopAt(service, 'write');
    const register = ada.register();
    await write.reached;
    await loseLocks();
    expect((await (await publisher(other)).publish({ 'arm.stl': 'fourth' })).status).toBe(200);
    write.goOn();
    expect((await register).status).toBe(503);
    expect((await ada.register()).body).toMatchObject({ revision: 4 });
    await expectWhole('fourth');
  });

  test('leaves nothing of its register if another process has purged the library since it began', async () => {
    await replaceFirst();
    const ada = await publisher(service);
    await ada.upload({ 'arm.stl': 'third' });
    await ada.uploadManifest(manifestOf({ 'arm.stl': 'third' }));
    const write = stopAt(service, 'write');
    const register = ada.register();
    await write.reached;
    await loseLocks();
    await purge();
    write.goOn();
    expect((await register).status).toBe(409);
    expect(await storedObjects(join(dataDir, 'objects'))).toEqual([]);
    await reclaim(other.context);
    expect(await database.db.selectFrom('dead_stores').selectAll().execute()).toEqual([]);
  });

  test('leaves nothing of an index that it rebuilds if another process has purged the library since', async () => {
    await replaceFirst();
    const row = await database.db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
    await rm(
      join(dataDir, 'objects', 'objects', row.store_id, row.index_sha256.slice(0, 2), row.index_sha256),
    );
    const write = stopAt(service, 'write');
    const repair = service.context.indexRepairer.repair(row);
    await write.reached;
    await loseLocks();
    await purge();
    write.goOn();
    await expect(repair).rejects.toMatchObject({ code: 'unavailable' });
    expect(await storedObjects(join(dataDir, 'objects'))).toEqual([]);
  });

  test('marks nothing for deletion in the store of a library that was purged since the search began', async () => {
    await replaceFirst();
    const { store_id: storeId } = await database.db
      .selectFrom('libraries')
      .selectAll()
      .executeTakeFirstOrThrow();
    const deletion = stopAt(other, 'deleteStore');
    const purged = purge();
    await deletion.reached;
    const { objects } = service.context;
    const list = objects.list.bind(objects);
    objects.list = async function* (...given) {
      yield* list(...given);
      deletion.goOn();
      await purged;
    };
    await loseLocks();
    await reclaimStore(service.context, { storeId, marks: 0 });
    expect(await database.db.selectFrom('doomed_objects').selectAll().execute()).toEqual([]);
  });

  if (name === 'PostgreSQL') {
    test('waits for a commit of the library that it purges, without a deadlock', async () => {
      const ada = await publisher(service);
      await ada.publish({ 'arm.stl': 'first' });
      const library = await database.db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
      await ada.actor.delete(ada.path);
      const { purge } = await database.db.transaction().execute(async (trx) => {
        await lockStore(trx, library.store_id);
        const purge = ada.actor.delete(`${ada.path}/purge`);
        await expect.poll(statementsThatWait).toBe(1);
        await trx.updateTable('libraries').set({ title: 'new' }).where('id', '=', library.id).execute();
        return { purge };
      });
      expect((await purge).status).toBe(200);
    });
  }

  test('leaves its unfinished deletions to the next register or reclaim', async () => {
    await replaceFirst();
    const { objects } = service.context;
    const original = objects.delete.bind(objects);
    objects.delete = () => Promise.reject(new Error('the process was killed'));
    await reclaim(service.context);
    objects.delete = original;
    await loseLocks();
    expect((await (await publisher(other)).publish({ 'arm.stl': 'first' })).status).toBe(200);
    await expectWhole('first');
    advance(2 * DAY);
    await reclaim(other.context);
    expect(await storedObjects(join(dataDir, 'objects'))).toEqual(await referencedObjects(other.context));
    expect(await database.db.selectFrom('doomed_objects').selectAll().execute()).toEqual([]);
  });

  test('a file reported present to a push is kept until its register, whatever others publish and reclaim', async () => {
    await stop();
    await start(0);
    const ada = await publisher(service);
    const files = { 'arm.stl': 'kept', 'leg.stl': 'other' };
    await ada.publish(files);
    const { size, sha256 } = fileEntry('', 'kept');
    const { body } = await ada.actor.post<{ files: { transfer: Transfer }[] }>(
      `${ada.path}/upload-authorizations`,
      { files: [{ relativePath: 'hand.stl', size, sha256 }] },
    );
    expect(body.files[0]?.transfer.kind).toBe('present');
    await (await publisher(other)).publish({ 'leg.stl': 'other' });
    advance(60);
    await reclaim(other.context);
    await ada.uploadManifest(manifestOf({ 'hand.stl': 'kept' }));
    expect((await ada.register()).status).toBe(200);
    await (await publisher(other)).publish({ 'leg.stl': 'other' });
    advance(60);
    await reclaim(other.context);
    // The lease ends, and nobody registers again.
    advance(2 * DAY);
    await reclaim(other.context);
    expect(await storedObjects(join(dataDir, 'objects'))).toEqual(await referencedObjects(other.context));
  });
});
