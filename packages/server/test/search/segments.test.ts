import { readdir, truncate, writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import { routes } from '@bindery/contract';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { generateAssets } from '../../../../test/generated-texts.ts';
import { DiskSegments } from '../../src/adapters/segments/disk-segments.ts';
import type { RevisionCache } from '../../src/objects/revision-cache.ts';
import type { ObjectAddress } from '../../src/objects/store.ts';
import type { RevisionIndex } from '../../src/revision/revision-index.ts';
import { requestOf } from '../../src/search/request.ts';
import { complete, searchEverything } from '../../src/search/search.ts';
import type { Segments } from '../../src/search/segments/segments.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../libraries/publish.ts';
import { places } from '../objects/s3/bucket.ts';
import { startService, type TestService } from '../service.ts';
import { NO_SEGMENTS } from './without-segments.ts';

/** More than are searched one by one. */
const LIBRARIES = 36;
const ASSETS = 12;

let service: TestService;
let ada: Actor;
let bob: Actor;

const DESCRIBED = generateAssets(LIBRARIES * ASSETS);

async function publishLibrary(owner: Actor, name: string, number: number, extra: object = {}): Promise<void> {
  const own = DESCRIBED.slice(number * ASSETS, (number + 1) * ASSETS);
  await publish(owner, name, {
    visibility: number % 3 === 0 ? 'private' : 'public',
    assets: own.map(({ id, title, description, category, tags, license }) => ({
      ...{ id, title, description, category, tags, license, ...extra },
      files: { [`${id}/model.obj`]: `${id} ${number}` },
    })),
  });
}

/** The assets of each segment. */
const joined = () => service.context.segments.list().map(({ assetCount }) => assetCount);

/** Waits until the service has joined all libraries, as it does once a search has found many outside of segments. */
async function join(): Promise<void> {
  const { segments } = service.context;
  segments.isWanted = true;
  await expect.poll(() => segments.isWanted, { timeout: 60_000 }).toBe(false);
  expect(joined()).toEqual([LIBRARIES * ASSETS]);
}

/** Words as they stand in titles, beginnings, misspellings, phrases, exclusions, filters, orders and pages. */
function queries(): object[] {
  const texts = [0, 13, 26, 150, 300].flatMap((number) => {
    const [first = '', second = ''] = (DESCRIBED[number]?.title ?? '').split(' ');
    return [
      `${first} ${second}`,
      second.slice(0, 3),
      `"${first} ${second}"`,
      `${first} -${second}`,
      `${first.slice(0, -1)}x${second}`,
    ];
  });
  return [
    ...texts.map((q) => ({ q, limit: '20', explain: 'true' })),
    ...texts.map((q) => ({ q, facets: 'true', category: ['arm', 'hand'], license: ['MIT'] })),
    ...['relevance', 'newest', 'title', 'size'].flatMap((sort) => [
      { q: '', limit: '50', offset: '7', sort },
      { q: texts[1] ?? '', sort, license: ['MIT'], facets: 'true' },
    ]),
    { q: '', library: ['ada/l2', 'bob/l7'], facets: 'true' },
    { q: 'hand MIT under 5 MB', facets: 'true' },
  ];
}

async function answers(segments: Segments): Promise<unknown[]> {
  const context = { ...service.context, segments };
  const all: unknown[] = [];
  for (const { headers } of [ada, bob, service.anonymous]) {
    const { authorization } = headers;
    const viewer = await context.authenticate({ authorization, shareToken: undefined });
    for (const query of queries()) {
      const parsed = routes.search.searchEverything.query.parse(query);
      all.push(await searchEverything(context, viewer, requestOf({ ...parsed, rank: 'relevance' })));
    }
    for (const q of ['s', 'st', DESCRIBED[3]?.title?.slice(0, 6) ?? ''])
      all.push(await complete(context, viewer, { q, limit: 8 }));
  }
  return all;
}

async function start({ open }: Pick<(typeof places)[number], 'open'>): Promise<void> {
  service = await startService(await open());
  // The job has looked once, and does so again when it is told to, not before all libraries are there.
  await vi.waitFor(() => expect(service.context.segments.isWanted).toBe(false), 60_000);
  ada = await service.member('ada');
  bob = await service.member('bob');
  for (let number = 0; number < LIBRARIES; number++)
    await publishLibrary(
      number % 2 === 0 ? ada : bob,
      `${number % 2 === 0 ? 'ada' : 'bob'}/l${number}`,
      number,
    );
}

describe.each(places)('searches over many libraries over $name', (place) => {
  beforeEach(() => start(place), 120_000);
  afterEach(() => service.close());

  test('find the same with and without segments, whoever searches', async () => {
    const before = await answers(NO_SEGMENTS);
    await join();
    expect(await answers(service.context.segments)).toEqual(before);
  });

  test('find a library that was changed, hidden or deleted since as it is now', async () => {
    await join();
    await publishLibrary(bob, 'bob/l1', 1, { title: 'Zanzibar' });
    await bob.delete('/namespaces/bob/libraries/l5');
    await bob.post('/namespaces/bob/libraries/l7', { visibility: 'private' });
    const found = (await ada.get<{ total: number; partial?: object }>('/search?q=Zanzibar')).body;
    expect(found.total).toBe(ASSETS);
    const browse = '/search?q=&facets=true';
    type Facets = { facets: { library: { value: string }[] } };
    const names = (await service.anonymous.get<Facets>(browse)).body.facets.library.map(({ value }) => value);
    expect(names).not.toContain('bob/l5');
    expect(names).not.toContain('bob/l7');
    expect(names).toContain('bob/l1');
  });
});

describe('segments', () => {
  beforeEach(() => start({ open: async () => ({}) }), 120_000);
  afterEach(() => service.close());

  test('what is gone from the libraries is gone from segments a day later', async () => {
    await join();
    await bob.delete('/namespaces/bob/libraries/l5');
    service.advance(25 * 60 * 60);
    await expect.poll(joined, { timeout: 60_000 }).toEqual([(LIBRARIES - 1) * ASSETS]);
  });

  test('words of hidden libraries neither complete nor correct nor filter', async () => {
    await publishLibrary(bob, 'bob/l3', 3, { title: 'Quagmirine', tags: ['secretive'], category: 'hush' });
    await join();
    const get = async (viewer: Actor | TestService['anonymous'], path: string) =>
      (await viewer.get(path)).body;
    expect(await get(bob, '/search?q=Quagmirinx')).toMatchObject({ didYouMean: 'quagmirine' });
    expect(await get(ada, '/search?q=Quagmirinx')).not.toHaveProperty('didYouMean');
    expect(await get(ada, '/search/complete?q=quag')).toEqual({ names: [], tags: [] });
    expect(await get(ada, '/search/complete?q=secr')).toEqual({ names: [], tags: [] });
    expect(await get(ada, '/search?q=category:hush')).not.toHaveProperty('understood');
    expect(await get(bob, '/search?q=category:hush')).toHaveProperty('understood');
  });

  test('segments are opened again after a start, and made again where their files are damaged', async () => {
    await join();
    const folder = resolve(service.context.configuration.dataDir, 'segments');
    const options = { capacity: 2 ** 30, objects: service.context.objects, log: pino({ level: 'silent' }) };
    const open = async () => {
      const segments = new DiskSegments(folder, options);
      await segments.opened;
      return segments;
    };
    const again = await open();
    expect(again.list().map(({ assetCount }) => assetCount)).toEqual(joined());
    await again.close();
    for (const file of await readdir(folder))
      if (file.endsWith('.segment')) await truncate(resolve(folder, file), 1_000);
    await writeFile(resolve(folder, 'draft.descriptions'), 'begun');
    const damaged = await open();
    expect(damaged.list()).toEqual([]);
    expect(await readdir(folder)).toEqual([]);
    await damaged.close();
  });

  test('a damaged description is not shown: the hit comes from the index of its library', async () => {
    await join();
    const folder = resolve(service.context.configuration.dataDir, 'segments');
    const { body: before } = await ada.get('/search?q=&limit=10');
    for (const file of await readdir(folder))
      if (file.endsWith('.descriptions')) await writeFile(resolve(folder, file), 'x'.repeat(100_000));
    expect((await ada.get('/search?q=&limit=10')).body).toEqual(before);
  });

  test('a search that memory has no room for says how many libraries it searched', async () => {
    const revisions = {
      capacity: 0,
      held: () => undefined,
      // So that three fit into what one search may load.
      load: async (object: ObjectAddress) => seemingLarge(await service.context.revisions.load(object)),
    } as unknown as RevisionCache;
    const context = { ...service.context, revisions, segments: NO_SEGMENTS };
    const viewer = await context.authenticate({ authorization: undefined, shareToken: undefined });
    const query = routes.search.searchEverything.query.parse({ q: '' });
    const found = await searchEverything(context, viewer, requestOf({ ...query, rank: 'relevance' }));
    expect(found).toMatchObject({ partial: { searched: 3, libraries: 24 }, total: 3 * ASSETS });
  });

  test('a search ends when its client has left', async () => {
    const { context } = service;
    const viewer = await context.authenticate({ authorization: undefined, shareToken: undefined });
    const query = routes.search.searchEverything.query.parse({ q: '' });
    let checks = 0;
    const request = requestOf({ ...query, rank: 'relevance' }, () => ++checks > 30);
    await expect(searchEverything(context, viewer, request)).rejects.toThrow('its client has left');
  });
});

function seemingLarge(index: RevisionIndex): RevisionIndex {
  return new Proxy(index, {
    get(target, name) {
      if (name === 'byteLength') return 80 * 2 ** 20;
      const value = Reflect.get(target, name, target);
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
