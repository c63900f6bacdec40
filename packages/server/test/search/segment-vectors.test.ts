import { hash } from 'node:crypto';
import { appendFile, readdir, truncate } from 'node:fs/promises';
import { resolve } from 'node:path';
import { routes, VECTORS_MATRIX_PATH } from '@bindery/contract';
import pino from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest';
import { DiskSegments } from '../../src/adapters/segments/disk-segments.ts';
import { createVectorSearch } from '../../src/adapters/workers/vector-search.ts';
import type { Context } from '../../src/context.ts';
import { deriveVectors } from '../../src/search/derived/derive-vectors.ts';
import { requestOf } from '../../src/search/request.ts';
import { searchEverything } from '../../src/search/search.ts';
import type { VectorSearch } from '../../src/search/vectors/vector-search.ts';
import type { Actor } from '../actor.ts';
import { publish } from '../libraries/publish.ts';
import { places } from '../objects/s3/bucket.ts';
import { startService, type TestService } from '../service.ts';
import { type AssetVectors, seededVector, sidecarFiles, vectorOf } from './embeddings.ts';
import { ScriptedEncoder } from './scripted-encoder.ts';
import { NO_SEGMENTS } from './without-segments.ts';

/** So many that more than are searched one by one are public. */
const LIBRARIES = 54;
const ASSETS = 5;
const QUERIES = ['mug', 'crane', 'zephyr'];

let service: TestService;
let encoder: ScriptedEncoder;
let ada: Actor;
let bob: Actor;

async function start({ open }: (typeof places)[number], options?: { withVectors: boolean }): Promise<void> {
  encoder = new ScriptedEncoder();
  for (const [at, query] of QUERIES.entries()) encoder.vectors.set(query, seededVector(9_000 + at));
  encoder.vectors.set('mug', vectorOf(0.7));
  const { database, configuration } = await open();
  service = await startService({
    database,
    encoder,
    configuration: { ...configuration, derivesVectors: 'none' },
  });
  // The job has looked once, and does so again when it is told to, not before all libraries are there.
  await vi.waitFor(() => expect(service.context.segments.isWanted).toBe(false), 60_000);
  ada = await service.member('ada');
  bob = await service.member('bob');
  await publishAll(options);
}

const opened: ReturnType<typeof createVectorSearch>[] = [];
afterEach(async () => {
  await Promise.all(opened.splice(0).map((search) => search.close()));
});

const nameOf = (number: number) => `${number % 2 === 0 ? 'ada' : 'bob'}/l${number}`;

/** Each library has an asset that is as near to a mug as one of every other. */
function vectorsOf(number: number): Record<string, AssetVectors> {
  const ids = Array.from({ length: ASSETS }, (_, at) => `thing-${at}`);
  return Object.fromEntries(
    ids.map((id, at) => [id, { image: at === 3 ? vectorOf(0.5) : seededVector(number * 100 + at) }]),
  );
}

async function publishAll({ withVectors = true } = {}): Promise<void> {
  for (let number = 0; number < LIBRARIES; number++) {
    const vectors = vectorsOf(number);
    await publish(number % 2 === 0 ? ada : bob, nameOf(number), {
      visibility: number % 3 === 0 ? 'private' : 'public',
      assets: Object.keys(vectors).map((id, at) => ({
        ...{ id, title: `Thing ${number} ${at}`, category: at % 2 === 0 ? 'tool' : 'toy' },
        files: { [`${id}/model.obj`]: `${id} ${number}` },
      })),
      ...(withVectors && { generated: sidecarFiles(vectors) }),
    });
  }
}

/** How many libraries have joined vectors. */
async function joinedCount(): Promise<number> {
  const rows = await service.context.db
    .selectFrom('libraries')
    .select(['store_id', 'index_sha256'])
    .execute();
  return rows.filter(({ store_id: storeId, index_sha256: indexSha256 }) => {
    const place = service.context.segments.find({ storeId, indexSha256 })?.joined?.vectors;
    return place?.isDamaged === false;
  }).length;
}

/** Waits until the service has joined vectors, as it does once a search has found many that are not. */
async function join(libraries = LIBRARIES): Promise<void> {
  service.context.segments.isWanted = true;
  await expect.poll(joinedCount, { timeout: 60_000 }).toBe(libraries);
}

const search = (context: Context, authorization: string | undefined, query: object) =>
  context.authenticate({ authorization, shareToken: undefined }).then((viewer) => {
    const parsed = routes.search.searchEverything.query.parse(query);
    return searchEverything(context, viewer, requestOf({ ...parsed, rank: 'relevance' }));
  });

async function answers(context: Context): Promise<unknown[]> {
  const all: unknown[] = [];
  for (const { headers } of [ada, bob, service.anonymous]) {
    for (const q of QUERIES) {
      for (const more of [
        { limit: '100' },
        { limit: '30', facets: 'true', category: ['tool'] },
        { limit: '30', library: ['ada/l2', 'bob/l7', 'bob/l11'], facets: 'true' },
      ]) {
        const found = await search(context, headers.authorization, { q, match: 'meaning', ...more });
        expect(found.reason).toBe('on');
        all.push(found);
      }
    }
  }
  return all;
}

/** Searches library by library. */
const aloneAnswers = () => answers({ ...service.context, segments: NO_SEGMENTS });

/** A search that has loaded nothing yet. */
function openVectors(objects: Pick<Context['objects'], 'localFile'>): VectorSearch {
  const context = { objects: { ...service.context.objects, ...objects }, log: pino({ level: 'silent' }) };
  const vectors = createVectorSearch(context, { memoryBytes: 64 * 2 ** 20, workers: 2 });
  opened.push(vectors);
  return vectors;
}

/** One that cannot read the vectors of a single library. */
function onlyJoined(): VectorSearch {
  const lost = Object.assign(new Error('No file of a library is read.'), { code: 'ENOENT' });
  return openVectors({ localFile: () => Promise.reject(lost) });
}

async function filesEndingWith(kind: string): Promise<string[]> {
  const folder = resolve(service.context.configuration.dataDir, 'segments');
  return (await readdir(folder)).filter((file) => file.endsWith(kind)).map((file) => resolve(folder, file));
}

describe.each(places)('vectors of segments over $name', (place) => {
  beforeAll(() => start(place), 120_000);
  afterAll(() => service.close());

  test('joined vectors are found as those of each library, in the order of ties, whoever searches', async () => {
    const alone = await aloneAnswers();
    await join();
    expect(await answers({ ...service.context, vectors: onlyJoined() })).toEqual(alone);
    encoder.relatedFrom = null;
    for (const text of ['xyzzyq', 'blorft wug', 'qwrtp zzkl', 'snarf gleeb tovu'])
      encoder.vectors.set(text, seededVector(text.length));
    const joined = await answers({ ...service.context, vectors: onlyJoined() });
    // What is near by chance is remembered for each encoder.
    encoder = service.context.encoder = Object.assign(new ScriptedEncoder(), encoder);
    expect(joined).toEqual(await aloneAnswers());
    encoder.relatedFrom = 0;
  });

  test('joined vectors are opened again after a start', async () => {
    const { dataDir } = service.context.configuration;
    await join();
    const { objects } = service.context;
    const again = new DiskSegments(resolve(dataDir, 'segments'), {
      ...{ capacity: 2 ** 30, objects, log: pino({ level: 'silent' }) },
    });
    await again.opened;
    const vectors = onlyJoined();
    expect(await answers({ ...service.context, segments: again, vectors })).toEqual(await aloneAnswers());
    await again.close();
  });

  test('an answer says how many libraries were searched by their words alone for lack of room or time', async () => {
    await join();
    const { vectors } = service.context;
    const short: VectorSearch = {
      ...vectors,
      async nearest(query, libraries) {
        const found = await vectors.nearest(query, libraries);
        return { ...found, uses: found.uses.map((use, at) => (at < 3 ? 'unavailable' : use)) };
      },
    };
    const found = await search({ ...service.context, vectors: short }, undefined, { q: 'mug' });
    const libraries = Array.from({ length: LIBRARIES }).filter((_, number) => number % 3 !== 0).length;
    expect(found).toMatchObject({ reason: 'on', partial: { searched: libraries - 3, libraries } });
    expect(await search(service.context, undefined, { q: 'mug' })).not.toHaveProperty('partial');
  });

  test.each(['.codes', '.matrix'])(
    'where joined vectors are damaged (%s), libraries are searched one by one, and joined again',
    async (kind) => {
      const alone = await aloneAnswers();
      await join();
      const damaged = await filesEndingWith(kind);
      for (const file of damaged) await truncate(file, 1_000);
      const { objects } = service.context;
      const vectors = openVectors({ localFile: (object) => objects.localFile(object) });
      expect(await answers({ ...service.context, vectors })).toEqual(alone);
      await join();
      expect(await filesEndingWith(kind)).not.toEqual(damaged);
      expect(await answers({ ...service.context, vectors: onlyJoined() })).toEqual(alone);
    },
  );

  test('a library that is pushed with other vectors is found by these', async () => {
    await join();
    const before = vectorsOf(1);
    const files = Object.fromEntries(Object.keys(before).map((id) => [`${id}/model.obj`, `${id} 1`]));
    const assets = Object.keys(before).map((id) => ({
      ...{ id, title: id },
      files: { [`${id}/model.obj`]: files[`${id}/model.obj`] ?? '' },
    }));
    const generated = sidecarFiles({ ...before, 'thing-0': { image: vectorOf(0.69) } });
    await publish(bob, 'bob/l1', { visibility: 'public', assets, generated });
    const { hits } = await search(service.context, undefined, { q: 'mug', match: 'meaning' });
    expect(hits[0]).toMatchObject({ library: 'l1', assetId: 'thing-0' });
  });

  test('with a segment that cannot be opened, its vectors are deleted', async () => {
    for (const file of await filesEndingWith('.segment')) await truncate(file, 1_000);
    const folder = resolve(service.context.configuration.dataDir, 'segments');
    const { objects } = service.context;
    const again = new DiskSegments(folder, { capacity: 2 ** 30, objects, log: pino({ level: 'silent' }) });
    await again.opened;
    expect(await readdir(folder)).toEqual([]);
    await again.close();
  });
});

describe.each(places)('vectors over $name', (place) => {
  afterEach(() => service.close());

  test('damaged vectors of a library count as missing, and those of the others are joined', async () => {
    await start(place);
    const { context } = service;
    const { store_id: storeId } = await context.db
      .selectFrom('libraries')
      .select('store_id')
      .where('name', '=', 'l1')
      .executeTakeFirstOrThrow();
    const stored = sidecarFiles(vectorsOf(1));
    const sha256 = hash('sha256', stored[VECTORS_MATRIX_PATH] as Uint8Array);
    await appendFile(await context.objects.localFile({ storeId, sha256 }), 'more');
    await join(LIBRARIES - 1);
    const found = await search(context, undefined, { q: 'mug', match: 'meaning', limit: '100' });
    expect(found.hits.map(({ library }) => library)).not.toContain('l1');
    expect(found).toEqual(
      await search({ ...context, segments: NO_SEGMENTS }, undefined, {
        q: 'mug',
        match: 'meaning',
        limit: '100',
      }),
    );
  });

  test('vectors that are made after the libraries were joined are searched at once, and joined later', async () => {
    await start(place, { withVectors: false });
    const { context } = service;
    const titles = Array.from({ length: LIBRARIES }, (_, number) =>
      Array.from({ length: ASSETS }, (_, at) => [`Thing ${number} ${at}`, number * 100 + at] as const),
    ).flat();
    for (const [title, seed] of titles) encoder.vectors.set(title, seededVector(seed));
    context.segments.isWanted = true;
    await expect.poll(() => context.segments.isWanted, { timeout: 60_000 }).toBe(false);
    expect(await joinedCount()).toBe(0);
    await deriveVectors(context, () => false);
    const alone = await aloneAnswers();
    expect(await answers(context)).toEqual(alone);
    // That search has the service join them.
    await expect.poll(joinedCount, { timeout: 60_000 }).toBe(LIBRARIES);
    expect(await answers({ ...context, vectors: onlyJoined() })).toEqual(alone);
    expect(await filesEndingWith('.matrix')).toHaveLength(1);
  });
});
