import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { OpenSearchEngine } from '../../../src/adapters/opensearch/opensearch-engine.ts';
import { notFound } from '../../../src/errors.ts';
import { RevisionCache } from '../../../src/objects/revision-cache.ts';
import { queueForSearch } from '../../../src/outbox/queue-event.ts';
import { ConnectedEngine } from '../../../src/search/engine/connected-engine.ts';
import { describeEngine } from '../../../src/search/engine/engine-report.ts';
import { EngineFeeder } from '../../../src/search/engine/feed-engine.ts';
import type { SearchEngine } from '../../../src/search/engine/search-engine.ts';
import { runSearch } from '../../../src/search/search.ts';
import { findReadable } from '../../../src/search/targets.ts';
import type { Actor } from '../../actor.ts';
import { databases } from '../../databases.ts';
import { publish } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';
import { CLUSTER, WITH_ENGINE } from './engine-service.ts';

const GOES_ON = () => false;

describe.skipIf(CLUSTER === '').each(databases)('feeding a search engine over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let port: OpenSearchEngine;

  beforeEach(async () => {
    // The service has no engine, so that only the test feeds one; what it publishes is queued by a compare.
    service = await startService({ database: await open() });
    ada = await service.member('ada');
    port = await OpenSearchEngine.connect(CLUSTER);
  });
  afterEach(async () => {
    const { name } = (await indexRow()) ?? { name: '' };
    if (name !== '') await port.drop(name);
    await port.close();
    await service.close();
  });

  /** The service's context with an engine; queues what is published through it. */
  const contextWith = (engine: SearchEngine = port) => ({
    ...service.context,
    configuration: { ...service.context.configuration, ...WITH_ENGINE },
    engine: new ConnectedEngine(engine, service.context.log),
  });

  const feeder = (engine?: SearchEngine) => new EngineFeeder(contextWith(engine));

  async function feed(engine?: SearchEngine): Promise<void> {
    const one = feeder(engine);
    try {
      await one.run(GOES_ON);
    } finally {
      await one.release();
    }
  }

  const indexRow = () => service.context.db.selectFrom('search_index').selectAll().executeTakeFirst();

  async function publishTitles(name: string, titles: readonly string[]): Promise<void> {
    await publish(ada, `ada/${name}`, {
      visibility: 'public',
      assets: titles.map((title, number) => ({
        ...{ id: `asset-${number}`, title },
        files: { [`${number}/model.stl`]: title },
      })),
    });
  }

  /** The titles that the engine alone finds for a query, sorted. */
  async function found(q: string): Promise<(string | null)[]> {
    const context = contextWith();
    const targets = await findReadable(context, await viewerOf(ada));
    const { engine } = context;
    const complete = await engine.state.read(context.db, port.mapping);
    const known = targets.filter(({ row }) => complete?.libraries.has(row.id));
    const libraries = known.map(({ row }) => complete?.libraries.get(row.id)?.number ?? 0);
    if (complete === null) throw new Error('the engine was given nothing yet');
    const scope = { ...complete, libraries };
    const filters = { libraries: null, asked: {}, query: { phrases: [], excluded: [] } };
    const slots = [
      {
        ...{ word: q, fallback: null, weight: 1 },
        alternatives: [{ match: 'exact' as const, terms: [q] }],
      },
    ];
    const request = { filters, slots, first: 'words' as const, count: 100, facets: false };
    const { candidates } = await port.candidates(scope, request);
    const described = await port.describe(
      scope,
      candidates.map(({ id }) => id),
    );
    return described.map((one) => one?.card.title ?? null).sort();
  }

  /** How many assets the engine has. */
  async function size(): Promise<number> {
    const stated = await describeEngine(service.context.db);
    return stated ? port.size(stated) : 0;
  }

  /** The titles that a search by ada finds. */
  async function titlesFor(context: ReturnType<typeof contextWith>): Promise<(string | null)[]> {
    const targets = await findReadable(context, await viewerOf(ada));
    const order = { rank: 'relevance', filters: {}, asWords: [], sort: 'relevance', facets: false } as const;
    const page = { q: 'mug', limit: 10, offset: 0, explain: false, order };
    const { hits } = await runSearch(context, targets, page);
    return hits.map(({ hit }) => hit.title).sort();
  }

  const viewerOf = ({ headers: { authorization } }: Actor) =>
    service.context.authenticate({ authorization, shareToken: undefined });

  test('a publication that is cut off at any step is invisible, and done whole by the next attempt', async () => {
    await publishTitles('things', ['mug red', 'mug blue', 'plate']);
    await publishTitles('others', ['mug green']);
    await feed();
    const before = ['mug blue', 'mug green', 'mug red'];
    expect(await found('mug')).toEqual(before);
    await publishTitles('things', ['mug red', 'mug yellow', 'mug black']);
    await publishTitles('others', ['bowl', 'mug white']);
    for (let step = 1; ; step++) {
      const { engine, wasCut } = cutOffAt(port, step);
      await feed(engine).catch((error: unknown) => {
        if (!wasCut()) throw error;
      });
      if (!wasCut()) break;
      expect(await found('mug')).toEqual(before);
      expect(await found('bowl')).toEqual([]);
      expect(step).toBeLessThan(50);
    }
    expect(await found('mug')).toEqual(['mug black', 'mug red', 'mug white', 'mug yellow']);
    expect(await found('bowl')).toEqual(['bowl']);
    expect(await size()).toBe(5);
  });

  test.each(['undo', 'add', 'retire', 'refresh'] as const)(
    'what a server writes that was thought dead changes nothing, if it comes after what another published (%s)',
    async (step) => {
      await publishTitles('things', ['mug red', 'mug blue']);
      await publishTitles('others', ['mug green']);
      await feed();
      await publishTitles('others', ['mug grey']);
      await feed(cutOffAt(port, 2).engine).catch(() => null);
      await publishTitles('things', ['mug red', 'mug yellow', 'plate']);
      const { engine, isHeld, letGo } = heldAt(port, step);
      const late = feeder(engine)
        .run(GOES_ON)
        .catch(() => null);
      await isHeld;
      service.advance(10 * 60);
      await publishTitles('things', ['mug black', 'mug blue']);
      await feed();
      const published = ['mug black', 'mug blue', 'mug grey'];
      expect(await found('mug')).toEqual(published);
      letGo();
      await late;
      await port.refresh((await indexRow())?.name ?? '');
      expect(await found('mug')).toEqual(published);
      expect(await size()).toBe(3);
      await publishTitles('things', ['mug white', 'mug pink', 'bowl']);
      service.advance(10 * 60);
      await feed();
      expect(await found('mug')).toEqual(['mug grey', 'mug pink', 'mug white']);
      expect(await size()).toBe(4);
    },
  );

  test('a publication that another server has begun to undo is not completed', async () => {
    await publishTitles('things', ['mug red', 'mug blue']);
    await publishTitles('others', ['mug green']);
    await feed();
    await publishTitles('things', ['mug red', 'mug yellow', 'plate']);
    await publishTitles('others', ['mug grey']);
    const [adding, undoing] = [heldAt(port, 'add'), heldAt(port, 'undo')];
    const first = feeder(adding.engine).run(GOES_ON);
    await adding.isHeld;
    service.advance(10 * 60);
    const second = feeder(undoing.engine).run(GOES_ON);
    await undoing.isHeld;
    service.advance(10 * 60);
    adding.letGo();
    await first;
    undoing.letGo();
    await second;
    service.advance(10 * 60);
    await feed();
    expect(await found('mug')).toEqual(['mug grey', 'mug red', 'mug yellow']);
    expect(await size()).toBe(4);
  });

  test('a publication writes what differs, and nothing of what does not', async () => {
    await publishTitles('things', ['mug red', 'mug blue', 'plate']);
    await feed();
    await publishTitles('things', ['mug red', 'mug yellow', 'plate', 'bowl']);
    const { engine, added } = counting(port);
    await feed(engine);
    expect(added).toEqual(['asset-1', 'asset-3']);
    expect(await found('mug')).toEqual(['mug red', 'mug yellow']);
    await feed(engine);
    expect(added).toHaveLength(2);
  });

  test('of two servers one feeds the engine, and the other takes over once the first is gone for long', async () => {
    await publishTitles('things', ['mug']);
    const first = feeder();
    await first.run(GOES_ON);
    await publishTitles('others', ['mug two']);
    await feed();
    expect(await found('mug')).toEqual(['mug']);
    service.advance(10 * 60);
    await feed();
    expect(await found('mug')).toEqual(['mug', 'mug two']);
  });

  test('a library that was purged is withdrawn, and one in the Trash comes back as it was', async () => {
    await publishTitles('things', ['mug']);
    await publishTitles('others', ['mug two']);
    await feed();
    await ada.delete('/namespaces/ada/libraries/things');
    await feed();
    expect(await found('mug')).toEqual(['mug two']);
    await ada.post('/namespaces/ada/libraries/things/restore', {});
    expect(await found('mug')).toEqual(['mug', 'mug two']);
    await ada.delete('/namespaces/ada/libraries/things');
    await ada.delete('/namespaces/ada/libraries/things/purge');
    await feed();
    expect(await size()).toBe(1);
    expect(
      await service.context.db.selectFrom('searched_libraries').select('library_id').execute(),
    ).toHaveLength(1);
  });

  test('a library that cannot be read any more is searched in the process, and its number is given to no other', async () => {
    await publishTitles('things', ['mug']);
    await publishTitles('others', ['mug two']);
    await feed();
    const searching = contextWith();
    expect(await titlesFor(searching)).toEqual(['mug', 'mug two']);
    const { db, revisions } = service.context;
    for (const { id } of await db.selectFrom('libraries').select('id').execute())
      await queueForSearch(searching, db, id);
    const unreadable = new RevisionCache(service.context.objects, 1);
    unreadable.load = async () => {
      throw notFound();
    };
    const one = new EngineFeeder({ ...contextWith(), revisions: unreadable });
    await one.run(GOES_ON);
    expect(await size()).toBe(0);
    unreadable.load = (object) => revisions.load(object);
    const assets = [{ id: 'mug', title: 'mug of bob', files: { 'mug/model.stl': 'bob' } }];
    await publish(await service.member('bob'), 'bob/private', { visibility: 'private', assets });
    const bobs = await db.selectFrom('libraries').select('id').where('name', '=', 'private').execute();
    for (const { id } of bobs) await queueForSearch(searching, db, id);
    await one.run(GOES_ON);
    await one.release();
    expect(await size()).toBe(1);
    expect(await titlesFor(searching)).toEqual(['mug', 'mug two']);
    await feed();
    expect(await size()).toBe(3);
  });

  test('an index of an older version, a lost one and one that is ahead of a restored database are made anew', async () => {
    await publishTitles('things', ['mug']);
    await feed();
    const made = [(await indexRow())?.name];
    const { db } = service.context;
    const spoil = [
      () => db.updateTable('search_index').set({ mapping: 0 }).execute(),
      () => port.drop(made.at(-1) ?? ''),
      () => port.deleteRetired({ index: made.at(-1) ?? '', sequence: 1_000, unfinished: [] }),
    ];
    for (const step of spoil) {
      await step();
      await feed();
      const name = (await indexRow())?.name;
      expect(made).not.toContain(name);
      expect(await port.newest(made.at(-1) ?? '')).toBeNull();
      made.push(name);
      expect(await found('mug')).toEqual(['mug']);
    }
  });

  test('an index of a newer version is left alone, and libraries are searched in the process', async () => {
    await publishTitles('things', ['mug']);
    await publishTitles('others', ['mug two']);
    await feed();
    await service.context.db.updateTable('search_index').set({ mapping: 99 }).execute();
    const before = await indexRow();
    await feed();
    expect(await indexRow()).toMatchObject({ name: before?.name ?? '', mapping: 99 });
    expect(await titlesFor(contextWith())).toEqual(['mug', 'mug two']);
    await port.drop(before?.name ?? '');
  });
});

/** A port that fails at a step and at all later ones, as when the process is killed; calls that read are no steps. */
function cutOffAt(port: SearchEngine, step: number): { engine: SearchEngine; wasCut: () => boolean } {
  const steps = new Set<string | symbol>(['undo', 'add', 'retire', 'refresh', 'deleteRetired']);
  let done = 0;
  const engine = new Proxy(port, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        if (steps.has(name) && ++done >= step) {
          // What was sent before the end may still arrive.
          if (done === step && name !== 'undo') await value.apply(target, given);
          throw new Error('cut off');
        }
        return value.apply(target, given);
      };
    },
  });
  return { engine, wasCut: () => done >= step };
}

/** A port of which the first call of a step waits, as when its server is paused, until it is let go. */
function heldAt(port: SearchEngine, step: 'undo' | 'add' | 'retire' | 'refresh') {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const engine = new Proxy(port, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return async (...given: unknown[]) => {
        if (name === step) {
          reached.resolve();
          await released.promise;
        }
        return value.apply(target, given);
      };
    },
  });
  return { engine, isHeld: reached.promise, letGo: released.resolve };
}

function counting(port: SearchEngine): { engine: SearchEngine; added: string[] } {
  const added: string[] = [];
  const engine = new Proxy(port, {
    get(target, name) {
      const value = Reflect.get(target, name);
      if (typeof value !== 'function') return value;
      return (...given: unknown[]) => {
        if (name === 'add') for (const { assetId } of given[2] as { assetId: string }[]) added.push(assetId);
        return value.apply(target, given);
      };
    },
  });
  return { engine, added };
}
