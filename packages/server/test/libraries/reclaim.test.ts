import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { leaseObjects } from '../../src/objects/retention/doomed-objects.ts';
import { collectGarbage, reclaim } from '../../src/objects/retention/reclaim.ts';
import { takeDueStore } from '../../src/objects/retention/retire.ts';
import { emptySurvey, type Survey, surveyStore } from '../../src/objects/retention/survey.ts';
import { databases } from '../databases.ts';
import { startService, type TestService } from '../service.ts';
import { fileEntry, manifestOf, Publisher } from './publisher.ts';

const DAY = 86_400;

describe.each(databases)('reclaim on $name', ({ open }) => {
  let service: TestService;
  let robots: Publisher;

  beforeEach(async () => {
    service = await startService({ database: await open() });
    robots = new Publisher(await service.member('anna'), 'anna', 'robots');
  });
  afterEach(() => service.close());

  /** The hashes of everything in all stores of the database's names. */
  async function objectsStored(): Promise<Set<string>> {
    const names = await service.context.db.selectFrom('library_names').select('store_id').execute();
    const hashes = new Set<string>();
    for (const { store_id } of names) {
      for await (const { sha256 } of service.context.objects.list(store_id)) hashes.add(sha256);
    }
    return hashes;
  }

  async function objectsNamed(): Promise<Set<string>> {
    const row = await service.context.db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
    const index = await service.context.revisions.load({ storeId: row.store_id, sha256: row.index_sha256 });
    const files = Array.from({ length: index.files.count }, (_, at) => index.files.sha256(at));
    const codes = row.codes_sha256 === null ? [] : [row.codes_sha256];
    return new Set([...files, ...codes, row.manifest_sha256, row.index_sha256]);
  }

  async function survey(context = service.context): Promise<Survey> {
    const found = emptySurvey();
    const names = await service.context.db.selectFrom('library_names').select('store_id').execute();
    for (const { store_id } of names) await surveyStore(context, store_id, found);
    return found;
  }

  const counts = (found: Survey) =>
    Object.fromEntries(
      Object.entries(found).flatMap(([fate, { objects }]) => (objects === 0 ? [] : [[fate, objects]])),
    );

  /** Rows that say what is to go, and when. */
  const plans = async () => ({
    names: await service.context.db.selectFrom('library_names').selectAll().execute(),
    doomed: await service.context.db.selectFrom('doomed_objects').selectAll().execute(),
    retired: await service.context.db.selectFrom('retired_revisions').selectAll().execute(),
    stored: await objectsStored(),
  });

  test('a survey counts what is kept, by reason, and what is due; a collection deletes exactly that', async () => {
    await robots.publish({ 'arm.stl': 'first', 'base.stl': 'same' });
    await robots.actor.post(`${robots.path}/releases`, { name: 'v1' });
    await robots.publish({ 'arm.stl': 'second', 'base.stl': 'same' });
    service.advance(2 * DAY);
    await robots.publish({ 'arm.stl': 'third', 'base.stl': 'same' });
    // Each revision has a manifest, an index and a list of artifacts, if any, besides.
    const before = await plans();
    const first = await survey();
    expect(await plans()).toEqual(before);
    expect(Object.keys(counts(first)).sort()).toEqual(['current', 'released', 'replaced']);
    expect((await collectGarbage(service.context)).objects).toBe(0);

    service.advance(DAY + 60);
    const second = await survey();
    expect(Object.keys(counts(second)).sort()).toEqual(['current', 'doomed', 'released']);
    expect(second.doomed).toEqual(first.replaced);
    expect([second.current, second.released]).toEqual([first.current, first.released]);
    expect(await collectGarbage(service.context)).toEqual(second.doomed);
    expect(await survey()).toEqual({ ...second, doomed: { objects: 0, bytes: 0 } });
    expect(await collectGarbage(service.context)).toEqual({ objects: 0, bytes: 0 });
  });

  test('a survey counts leased objects, and as unclear those that a missing index may name', async () => {
    const { configuration } = service.context;
    const hasty = { ...service.context, configuration: { ...configuration, reclaimGraceSeconds: 3_600 } };
    await robots.publish({ 'arm.stl': 'first', 'base.stl': 'same' });
    const { size, sha256 } = fileEntry('arm.stl', 'first');
    await robots.publish({ 'base.stl': 'same' });
    service.advance(7_200);
    const { store_id: storeId } = await service.context.db
      .selectFrom('libraries')
      .select('store_id')
      .executeTakeFirstOrThrow();
    await leaseObjects(service.context.db, storeId, [sha256], service.context.clock());
    const promised = await survey(hasty);
    expect(promised).toMatchObject({ leased: { objects: 1, bytes: size }, replaced: { objects: 0 } });
    expect(await collectGarbage(hasty)).toEqual(promised.doomed);
    expect(await objectsStored()).toContain(sha256);
    service.advance(DAY + 60);
    expect(await survey(hasty)).toMatchObject({
      leased: { objects: 0 },
      doomed: { objects: 1, bytes: size },
    });

    const row = await service.context.db.selectFrom('libraries').selectAll().executeTakeFirstOrThrow();
    const index = row.index_sha256;
    await service.context.objects.delete(row.store_id, [index], async (hashes) => new Set(hashes));
    const found = counts(await survey());
    expect(found).toEqual({ current: 1, unclear: expect.any(Number) });
    expect(found.unclear).toBe((await objectsStored()).size - 1);
  });

  test('a replaced revision is kept for the grace period and deleted after it', async () => {
    await robots.publish({ 'arm.stl': 'first', 'base.stl': 'same' });
    const first = await robots.actor.post<{ files: { url: string }[] }>(`${robots.path}/files-presign`, {
      paths: ['arm.stl'],
    });
    const url = first.body.files[0]?.url ?? '';
    await robots.publish({ 'arm.stl': 'second', 'base.stl': 'same' });

    await reclaim(service.context);
    expect(await (await fetch(url)).text()).toBe('first');

    service.advance(DAY + 60);
    await reclaim(service.context);
    expect(await objectsStored()).toEqual(await objectsNamed());
    expect((await robots.actor.get(`${robots.path}/assets/base.stl`)).status).toBe(200);
    expect(await service.context.db.selectFrom('retired_revisions').selectAll().execute()).toEqual([]);
  });

  test('a file that a revision in its grace period shares with an expired one is kept', async () => {
    await robots.publish({ 'arm.stl': 'kept by the second', 'leg.stl': 'first only' });
    await robots.publish({ 'arm.stl': 'kept by the second' });
    service.advance(DAY / 2);
    await robots.publish({ 'hand.stl': 'third' });
    service.advance(DAY / 2 + 60);
    await reclaim(service.context);
    const stored = await objectsStored();
    expect(stored).toContain(fileEntry('', 'kept by the second').sha256);
    expect(stored).not.toContain(fileEntry('', 'first only').sha256);

    service.advance(DAY);
    await reclaim(service.context);
    expect(await objectsStored()).toEqual(await objectsNamed());
  });

  test('files promoted by a register that did not commit are deleted after the grace period', async () => {
    await robots.publish({ 'arm.stl': 'solid' });
    await robots.upload({ 'leg.stl': 'leg' });
    await robots.uploadManifest(manifestOf({ 'leg.stl': 'leg' }));
    const { context } = service;
    const write = context.objects.write;
    context.objects.write = () => Promise.reject(new Error('the disk is gone'));
    expect((await robots.register()).status).toBe(500);
    context.objects.write = write;
    expect(await objectsStored()).toContain(fileEntry('', 'leg').sha256);

    service.advance(DAY + 60);
    await reclaim(context);
    expect(await objectsStored()).toEqual(await objectsNamed());
    expect((await robots.actor.get(robots.path)).body).toMatchObject({ revision: 1 });
  });

  test('a library in the Trash keeps all its objects', async () => {
    await robots.publish({ 'arm.stl': 'solid' });
    await robots.actor.delete(robots.path);
    service.advance(30 * DAY);
    await reclaim(service.context);
    expect((await robots.actor.post(`${robots.path}/restore`)).status).toBe(200);
    expect(await objectsStored()).toEqual(await objectsNamed());
  });

  test('uploads of a push that never registered are deleted after a day, not before', async () => {
    await robots.upload({ 'arm.stl': 'solid' });
    service.advance(DAY / 2);
    await reclaim(service.context);
    await robots.uploadManifest(manifestOf({ 'arm.stl': 'solid' }));
    expect((await robots.register()).status).toBe(201);

    await robots.upload({ 'leg.stl': 'leg' });
    service.advance(DAY + 60);
    await reclaim(service.context);
    await robots.uploadManifest(manifestOf({ 'leg.stl': 'leg' }));
    expect((await robots.register()).body).toMatchObject({ error: 'files_missing' });
  });

  test('one pass searches every store that is due, however many there are', async () => {
    const { db } = service.context;
    await makeDue(250);
    await reclaim(service.context);
    const due = db.selectFrom('library_names').select('name').where('reclaim_due_at', 'is not', null);
    expect(await due.execute()).toEqual([]);
  });

  test('servers share the stores that are due, and one that is killed leaves its own to the others', async () => {
    const { db, clock } = service.context;
    await makeDue(40);
    const now = clock();
    const take = async () => {
      const taken: string[] = [];
      let store = await takeDueStore(db, now);
      for (; store !== null; store = await takeDueStore(db, now, store)) taken.push(store.storeId);
      return taken;
    };
    const [one = [], other = []] = await Promise.all([take(), take()]);
    expect(new Set([...one, ...other]).size).toBe(40);
    expect(one.length + other.length).toBe(40);
    expect(await takeDueStore(db, now)).toBe(null);
    service.advance(10 * 60 + 1);
    await reclaim(service.context);
    const due = db.selectFrom('library_names').select('name').where('reclaim_due_at', 'is not', null);
    expect(await due.execute()).toEqual([]);
  });

  test('a store whose search fails is due again for the next pass', async () => {
    await makeDue(1);
    const { objects } = service.context;
    const failing = new Proxy(objects, {
      get: (store, name: keyof typeof objects) => {
        if (name === 'list') throw new Error('the disk is gone');
        const member = store[name];
        return typeof member === 'function' ? member.bind(store) : member;
      },
    });
    await reclaim({ ...service.context, objects: failing });
    expect(await takeDueStore(service.context.db, service.context.clock())).toMatchObject({
      storeId: 'store-0',
    });
  });

  /** Names whose stores are due at the same time, and empty. */
  async function makeDue(count: number): Promise<void> {
    const names = Array.from({ length: count }, (_, at) => ({
      ...{ namespace_slug: 'anna', name: `name-${at}`, store_id: `store-${at}` },
      ...{ last_revision: 1, reclaim_due_at: 1 },
    }));
    await service.context.db.insertInto('library_names').values(names).execute();
  }

  test('an interrupted purge is finished by the next reclaim', async () => {
    await robots.publish({ 'arm.stl': 'solid' });
    const { storeId } = await service.context.db
      .selectFrom('libraries')
      .select('store_id as storeId')
      .executeTakeFirstOrThrow();
    await robots.actor.delete(robots.path);
    const { context } = service;
    const deleteStore = context.objects.deleteStore;
    context.objects.deleteStore = () => Promise.reject(new Error('the power went'));
    expect((await robots.actor.delete(`${robots.path}/purge`)).status).toBe(500);
    context.objects.deleteStore = deleteStore;
    expect((await robots.actor.get('/namespaces/anna/libraries?deleted=true')).body).toMatchObject({
      libraries: [],
    });

    await reclaim(context);
    const left = await Array.fromAsync(context.objects.list(storeId));
    expect(left).toEqual([]);
    expect(await context.db.selectFrom('dead_stores').selectAll().execute()).toEqual([]);
  });
});
