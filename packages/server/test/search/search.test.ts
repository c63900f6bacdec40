import {
  type CrossLibraryHit,
  type ErrorBody,
  LIMITS,
  SEMANTIC_HEADER,
  type SearchHit,
} from '@bindery/contract';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor, ApiResponse } from '../actor.ts';
import { databases } from '../databases.ts';
import { publish, type WrittenAsset } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

interface Envelope {
  semantic: boolean;
  total: number;
  skipped?: { library: string; reason: string }[];
  hits: (SearchHit & Partial<CrossLibraryHit>)[];
}

const asset = (id: string, more: Partial<WrittenAsset> = {}): WrittenAsset => ({
  id,
  files: { [`${id}/model.stl`]: id },
  ...more,
});

describe.each(databases)('search over $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let anonymous: Actor;
  let shareToken: string;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    anonymous = service.anonymous;
    ada = await service.member('ada');
    const bo = await service.member('bo');
    const dash = await service.member('a-b');
    await publish(ada, 'ada/robots', {
      visibility: 'public',
      library: { license: 'Apache-2.0' },
      assets: [
        asset('ur5e', {
          title: 'UR5e arm',
          description: 'Six axes',
          category: 'arm',
          kind: 'mjcf',
          format: 'xml',
          tags: ['robot', 'six axes'],
          license: 'MIT',
          entry: 'ur5e/model.stl',
          thumbnail: 'ur5e/view.png',
          files: { 'ur5e/model.stl': 'solid', 'ur5e/view.png': 'picture' },
        }),
        asset('hand', { title: 'Robot hand', category: 'hand' }),
        asset('Zoo', { description: 'robots of all kinds' }),
      ],
    });
    const secret = await publish(ada, 'ada/secret', { assets: [asset('hidden-robot')], share: true });
    shareToken = String(secret.shareToken);
    await publish(bo, 'bo/arms', { visibility: 'public', assets: [asset('hand'), asset('arm')] });
    await publish(dash, 'a-b/z', { visibility: 'public', assets: [asset('arm')] });
    await publish(ada, 'ada/a.b', { visibility: 'public', assets: [asset('arm')] });
  });
  afterAll(() => service.close());

  const inRobots = (query: string, actor = anonymous) =>
    actor.get<Envelope>(`/namespaces/ada/libraries/robots/search?${query}`);
  const across = (libraries: string, query: string, actor = anonymous) =>
    actor.get<Envelope>(`/library-search?libraries=${libraries}&${query}`);
  const ids = ({ body }: ApiResponse<Envelope>) => body.hits.map(({ assetId }) => assetId);
  const places = ({ body }: ApiResponse<Envelope>) =>
    body.hits.map(({ namespace, library, assetId }) => `${namespace}/${library}/${assetId}`);

  describe('of one library', () => {
    test('ranks by score and returns exactly the specified fields', async () => {
      const { status, body, headers } = await inRobots('q=ROBOT');
      expect(status).toBe(200);
      expect(Object.keys(body)).toEqual(['semantic', 'total', 'hits']);
      expect(body.semantic).toBe(false);
      expect(headers.get(SEMANTIC_HEADER)).toBe('encoder-unavailable');
      expect(body.hits.map(({ assetId, score }) => [assetId, score])).toEqual([
        ['hand', 3],
        ['ur5e', 2],
        ['Zoo', 0.5],
      ]);
      expect(body.total).toBe(3);
      const { thumbnailUrl, digest, ...hit } = body.hits[1]!;
      expect(hit).toEqual({
        assetId: 'ur5e',
        title: 'UR5e arm',
        description: 'Six axes',
        category: 'arm',
        tags: ['robot', 'six axes'],
        kind: 'mjcf',
        format: 'xml',
        license: 'MIT',
        entry: 'ur5e/model.stl',
        score: 2,
        files: { count: 2, bytes: 12 },
      });
      expect(digest).toMatch(/^sha256:[0-9a-f]{64}$/);
      expect(await (await fetch(String(thumbnailUrl))).text()).toBe('picture');
      expect(body.hits[0]).toMatchObject({ license: 'Apache-2.0', thumbnailUrl: null, kind: 'file' });
    });

    test('without a query lists all assets by id, with score 0', async () => {
      for (const query of ['', 'q=']) {
        const answer = await inRobots(query);
        expect(ids(answer)).toEqual(['Zoo', 'hand', 'ur5e']);
        expect(answer.body.hits.every(({ score }) => score === 0)).toBe(true);
        expect(answer.headers.get(SEMANTIC_HEADER)).toBe('no-query');
      }
    });

    test('with a query that has no tokens finds nothing', async () => {
      const { body } = await inRobots(`q=${encodeURIComponent('机器人')}`);
      expect(body).toEqual({ semantic: false, total: 0, hits: [] });
    });

    test.each([
      ['license=Apache-2.0', ['Zoo', 'hand']],
      ['license=apache-2.0', []],
      ['license=MIT&kind=mjcf', ['ur5e']],
      ['tag=six+axes', ['ur5e']],
      ['tag=axes', []],
      ['category=hand', ['hand']],
      ['kind=file&q=robot', ['hand', 'Zoo']],
    ])('filters by %s', async (query, expected) => {
      const answer = await inRobots(query);
      expect(ids(answer)).toEqual(expected);
      expect(answer.body.total).toBe(expected.length);
    });

    test('returns the requested page and the total of all hits', async () => {
      const pages = await Promise.all(
        [0, 1, 2, 3, 9_000_000_000].map((offset) => inRobots(`q=robot&limit=1&offset=${offset}`)),
      );
      expect(pages.map(ids)).toEqual([['hand'], ['ur5e'], ['Zoo'], [], []]);
      expect(pages.map(({ body }) => body.total)).toEqual([3, 3, 3, 3, 3]);
    });

    test.each([
      ['limit=0', 'limit'],
      ['limit=201', 'limit'],
      ['limit=ten', 'limit'],
      ['offset=-1', 'offset'],
      ['offset=0.5', 'offset'],
      [`q=${'x'.repeat(LIMITS.search.queryLength + 1)}`, 'q'],
      ['q=a&q=b', 'q'],
      ['licence=MIT', 'licence'],
    ])('refuses %s', async (query, parameter) => {
      const { status, body } = await anonymous.get<ErrorBody>(
        `/namespaces/ada/libraries/robots/search?${query}`,
      );
      expect([status, body.error, body.parameter]).toEqual([400, 'invalid_parameter', parameter]);
    });

    test('accepts a query of the maximum length', async () => {
      const query = Array.from({ length: 250 }, (_, n) => (n % 36).toString(36))
        .join(' ')
        .padEnd(500, 'z');
      expect((await inRobots(`q=${encodeURIComponent(query)}`)).status).toBe(200);
    });

    test('finds only the assets of the newest revision', async () => {
      const library = { visibility: 'public' as const };
      const search = () => anonymous.get<Envelope>('/namespaces/ada/libraries/moving/search?q=part');
      await publish(ada, 'ada/moving', { ...library, assets: [asset('part-one')] });
      expect(ids(await search())).toEqual(['part-one']);
      await publish(ada, 'ada/moving', { ...library, assets: [asset('part-two'), asset('part-three')] });
      expect(ids(await search())).toEqual(['part-three', 'part-two']);
    });
  });

  describe('across libraries', () => {
    test('orders hits by score, then namespace, then library, and returns the specified fields', async () => {
      const answer = await across('bo/arms,ada/robots,ada/a.b,a-b/z', 'q=arm');
      expect(answer.status).toBe(200);
      expect(places(answer)).toEqual(['ada/robots/ur5e', 'a-b/z/arm', 'ada/a.b/arm', 'bo/arms/arm']);
      expect(answer.body.hits.map(({ score }) => score)).toEqual([3, 2, 2, 2]);
      expect(Object.keys(answer.body)).toEqual(['semantic', 'total', 'skipped', 'hits']);
      expect(Object.keys(answer.body.hits[0]!).slice(0, 3)).toEqual(['namespace', 'library', 'assetId']);
    });

    test('without a query lists all assets by namespace, library and id', async () => {
      const answer = await across('bo/arms,ada/robots,a-b/z', '');
      expect(places(answer)).toEqual([
        'a-b/z/arm',
        'ada/robots/Zoo',
        'ada/robots/hand',
        'ada/robots/ur5e',
        'bo/arms/arm',
        'bo/arms/hand',
      ]);
      expect(places(await across('bo/arms,ada/robots,a-b/z', 'limit=2&offset=3'))).toEqual([
        'ada/robots/ur5e',
        'bo/arms/arm',
      ]);
    });

    test('reports missing and hidden libraries alike as skipped, in the requested order', async () => {
      const { status, body } = await across('ada/secret,bo/arms,nobody/nothing,ada/no-such', 'q=arm');
      expect(status).toBe(200);
      expect(body.skipped).toEqual([
        { library: 'ada/secret', reason: 'not_found' },
        { library: 'nobody/nothing', reason: 'not_found' },
        { library: 'ada/no-such', reason: 'not_found' },
      ]);
      expect(body.total).toBe(1);
    });

    test('searches a private library for a member, but not for the holder of its share token', async () => {
      expect(places(await across('ada/secret', 'q=robot', ada))).toEqual(['ada/secret/hidden-robot']);
      const shared = await across('ada/secret', `q=robot&share=${shareToken}`);
      expect(shared.body).toEqual({
        semantic: false,
        total: 0,
        skipped: [{ library: 'ada/secret', reason: 'not_found' }],
        hits: [],
      });
    });

    test('searches a library only once if it is named twice', async () => {
      expect((await across('bo/arms,bo/arms', 'q=arm')).body.total).toBe(1);
      expect((await across('bo/no,bo/no', 'q=arm')).body.skipped).toHaveLength(1);
    });

    test.each([
      '',
      ',',
      'bo',
      'bo/arms,',
      'bo/arms/more',
      '/arms',
      'bo/',
      'Bo/arms',
      'bo/Arms',
      'bo/arms, ada/robots',
      Array.from({ length: 51 }, (_, n) => `bo/l${n}`).join(','),
    ])('refuses libraries=%j', async (libraries) => {
      const { status, body } = await anonymous.get<ErrorBody>(`/library-search?q=arm&libraries=${libraries}`);
      expect([status, body.error, body.parameter]).toEqual([400, 'invalid_parameter', 'libraries']);
    });

    test('refuses a search without libraries, and accepts fifty', async () => {
      const { status, body } = await anonymous.get<ErrorBody>('/library-search?q=arm');
      expect([status, body.parameter]).toEqual([400, 'libraries']);
      const fifty = Array.from({ length: 50 }, (_, n) => `bo/l${n}`).join(',');
      expect((await across(fifty, 'q=arm')).body.skipped).toHaveLength(50);
    });
  });
});
