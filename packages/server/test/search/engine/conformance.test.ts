import { DESCRIPTOR_BYTES, DESCRIPTOR_PARTS, DESCRIPTOR_VERSION, routes } from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { generateAssets, seeded } from '../../../../../test/generated-texts.ts';
import { requestOf } from '../../../src/search/request.ts';
import { complete, searchEverything } from '../../../src/search/search.ts';
import { findSimilarTo } from '../../../src/search/similar/find-similar.ts';
import type { Actor } from '../../actor.ts';
import { databases } from '../../databases.ts';
import { publish } from '../../libraries/publish.ts';
import { startService, type TestService } from '../../service.ts';
import { CLUSTER, fed, WITH_ENGINE } from './engine-service.ts';

const LIBRARIES = 12;
const ASSETS = 40;
const DESCRIBED = generateAssets(LIBRARIES * ASSETS);

/** Descriptors of some kinds of things, each of which differs a little from the others of its kind. */
function describeLook(number: number): Uint8Array {
  const [kind, own] = [seeded(number % 7), seeded(100 + number)];
  const bytes = Uint8Array.from(
    { length: DESCRIPTOR_BYTES.model },
    () => 20 + Math.floor(30 * kind()) + Math.floor(8 * own()),
  );
  const { shape, colors } = DESCRIPTOR_PARTS.model;
  bytes[shape + colors] = number % 2;
  return bytes;
}

/** What a picture of a thing shows of it: its colours, and one of its outlines. */
function describePicture(number: number): Uint8Array {
  const { shape, colors, hasColors } = DESCRIPTOR_PARTS.model;
  const { outlines } = DESCRIPTOR_PARTS.picture;
  const bytes = describeLook(number).subarray(shape);
  const first = colors + hasColors + 3 * outlines;
  return Buffer.concat([bytes.subarray(0, colors + hasColors), bytes.subarray(first, first + outlines)]);
}

const lookOf = (number: number) => ({
  statistics: {
    descriptor: `${DESCRIPTOR_VERSION}:${base64(describeLook(number))}`,
    ...(number % 4 === 0 && {
      hands: [handOf('left_hand', number + 3), handOf('right_hand', 7 + (number % 8) / 4)],
    }),
  },
});

/** A hand with the shape of another thing. */
const handOf = (name: string, number: number) => ({
  name,
  shape: `${DESCRIPTOR_VERSION}:${base64(describeLook(number).subarray(0, DESCRIPTOR_BYTES.hand))}`,
});

const base64 = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64');

/** Words as they stand in titles, beginnings, misspellings, phrases, exclusions, filters, orders and pages. */
function queries(): Record<string, unknown>[] {
  const texts = [0, 13, 300].flatMap((number) => {
    const [first = '', second = ''] = (DESCRIBED[number]?.title ?? '').split(' ');
    return [
      `${first} ${second}`,
      first,
      second.slice(0, 3),
      `"${first} ${second}"`,
      `${first} -${second}`,
      `${first.slice(0, -1)}x${second}`,
    ];
  });
  return [
    ...texts.map((q) => ({ q, limit: '20', explain: 'true' })),
    ...texts.map((q) => ({ q, facets: 'true', category: ['arm', 'hand'], license: ['MIT'] })),
    ...texts.map((q) => ({ q, match: 'words', offset: '3', limit: '5' })),
    ...['relevance', 'newest', 'title', 'size'].flatMap((sort) => [
      { q: '', limit: '50', offset: '17', sort },
      { q: texts[1] ?? '', sort, license: ['MIT'], facets: 'true' },
    ]),
    { q: '', library: ['ada/l2', 'bob/l7'], facets: 'true' },
    { q: '', library: ['ada/l2'], license: ['nothing'], facets: 'true' },
    { q: 'hand MIT under 5 MB', facets: 'true' },
    { q: 'xyzzy' },
    { q: 'two-legged walking machines' },
  ];
}

describe.skipIf(CLUSTER === '').each(databases)('with a search engine over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let bob: Actor;

  beforeAll(async () => {
    service = await startService({ database: await open(), configuration: WITH_ENGINE });
    ada = await service.member('ada');
    bob = await service.member('bob');
    for (let number = 0; number < LIBRARIES; number++) {
      const own = DESCRIBED.slice(number * ASSETS, (number + 1) * ASSETS);
      const [actor, name] = number % 2 === 0 ? [ada, `ada/l${number}`] : [bob, `bob/l${number}`];
      await publish(actor, name, {
        visibility: number % 3 === 0 ? 'private' : 'public',
        assets: own.map(({ id, title, description, category, tags, license }, at) => ({
          ...{ id, title, description, category, tags, license },
          // Some have none.
          ...(at % 5 > 0 && { meta: lookOf(number * ASSETS + at) }),
          files: { [`${id}/model.obj`]: `${id} ${number}` },
        })),
      });
    }
    await fed(service);
  });
  afterAll(() => service?.close());

  const viewers = () => [ada, bob, service.anonymous] as const;

  /** What a viewer is answered with the engine, and by this process alone. */
  async function both<Answer>(
    { headers: { authorization } }: Pick<Actor, 'headers'>,
    ask: (
      context: TestService['context'],
      viewer: Awaited<ReturnType<TestService['context']['authenticate']>>,
    ) => Promise<Answer>,
  ): Promise<{ engine: Answer; alone: Answer }> {
    const { context } = service;
    const viewer = await context.authenticate({ authorization, shareToken: undefined });
    expect(context.engine?.isTrusted).toBe(true);
    const engine = await ask(context, viewer);
    expect(context.engine?.isTrusted).toBe(true);
    return { engine, alone: await ask({ ...context, engine: null }, viewer) };
  }

  test('searches find what this process finds, whoever searches', () => searchAll());

  /** @param every searches only for each query of so many */
  async function searchAll(every = 1): Promise<void> {
    for (const query of queries().filter((_, at) => at % every === 0)) {
      for (const actor of viewers()) {
        const { engine, alone } = await both(actor, async (context, viewer) => {
          const parsed = routes.search.searchEverything.query.parse(query);
          return searchEverything(context, viewer, requestOf({ ...parsed, rank: 'relevance' }));
        });
        expect.soft({ query, ...engine }).toEqual({ query, ...alone });
      }
    }
  }

  const vector = {
    model: 'a model',
    numbers: base64(new Uint8Array(new Float32Array(384).fill(384 ** -0.5).buffer)),
  };

  test.each([
    ['a model', { model: base64(describeLook(7)) }],
    ['a picture', { picture: base64(describePicture(9)) }],
    ['a model and a picture', { model: base64(describeLook(8)), picture: base64(describePicture(10)) }],
    ['a vector of another model', { vector }],
  ])('what is similar to %s is what this process finds', async (_, parts) => {
    const described = { version: DESCRIPTOR_VERSION, ...parts } as const;
    for (const actor of viewers()) {
      for (const query of [
        { limit: '100' },
        { limit: '7', offset: '4', match: 'shape' },
        { library: ['ada/l2', 'bob/l7'], license: ['MIT'] },
      ]) {
        const { engine, alone } = await both(actor, (context, viewer) =>
          findSimilarTo(context, viewer, described, routes.search.findSimilarTo.query.parse(query)),
        );
        expect.soft({ query, ...engine }).toEqual({ query, ...alone });
        if (!query.library && !query.match && !('vector' in parts)) {
          expect(engine.hits.length).toBeGreaterThan(20);
          if ('model' in parts) expect(engine.hits.map(({ part }) => part)).toContain('right_hand');
        }
      }
    }
  });

  test('what was published, hidden or deleted since is found as it is now, also before the engine has it', async () => {
    const { db } = service.context;
    // Somebody else feeds the engine, and does not get to it.
    const held = { holder: 'another', held_until: Number.MAX_SAFE_INTEGER };
    await db.updateTable('search_index').set(held).execute();
    const { id, title, tags } = DESCRIBED[13] as (typeof DESCRIBED)[number];
    const assets = [id, `${id}-2`].map((one) => ({
      id: one,
      title,
      tags,
      files: { [`${one}/model.obj`]: one },
    }));
    await publish(bob, 'bob/l1', { assets });
    await publish(bob, 'bob/new', { visibility: 'public', assets });
    await bob.post('/namespaces/bob/libraries/l5', { visibility: 'private' });
    await ada.delete('/namespaces/ada/libraries/l4');
    await searchAll(3);
    await db.updateTable('search_index').set({ held_until: 0 }).execute();
    await fed(service);
    await searchAll(3);
  });

  test.each(['s', 'st', DESCRIBED[3]?.title?.slice(0, 6) ?? '', 'robot a'])(
    'the completions of "%s" are those of this process',
    async (q) => {
      for (const actor of viewers()) {
        const { engine, alone } = await both(actor, (context, viewer) =>
          complete(context, viewer, { q, limit: 8 }),
        );
        expect(engine).toEqual(alone);
      }
    },
  );
});
