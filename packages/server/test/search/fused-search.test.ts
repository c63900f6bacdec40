import {
  type CrossLibraryHit,
  type LibraryDetail,
  type LibrarySummary,
  type RelevanceFacets,
  SEMANTIC_HEADER,
  type SearchHit,
  VECTORS_MATRIX_PATH,
} from '@bindery/contract';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { EncodedQuery } from '../../src/search/encoder.ts';
import type { Actor, ApiResponse } from '../actor.ts';
import { publish, type WrittenAsset } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';
import { type AssetVectors, MODEL, seededVector, sidecarFiles, vectorOf } from './embeddings.ts';
import { ScriptedEncoder } from './scripted-encoder.ts';

interface Envelope {
  semantic: boolean;
  total: number;
  hits: (SearchHit & Partial<CrossLibraryHit>)[];
  facets?: RelevanceFacets;
}

const asset = (id: string, more: Partial<WrittenAsset> = {}): WrittenAsset => ({
  id,
  files: { [`${id}/model.stl`]: id },
  ...more,
});

/** Cosines with the query `arm`: mug 0.1, arm 0.5, hand 0.9. */
const VECTORS: Record<string, AssetVectors> = {
  mug: { image: vectorOf(0.1), text: vectorOf(0.99) },
  arm: { image: vectorOf(0.5) },
  hand: { image: vectorOf(0.9) },
};

let service: TestService;
let encoder: ScriptedEncoder;
let ada: Actor;

beforeAll(async () => {
  encoder = new ScriptedEncoder();
  service = await startService({ encoder });
  ada = await service.member('ada');
  await publish(ada, 'ada/home', {
    assets: [
      asset('mug', { title: 'Mug', category: 'cup' }),
      asset('arm', { title: 'Robot arm', tags: ['arms'], category: 'robot' }),
      asset('hand', { title: 'Hand', category: 'robot' }),
      asset('armchair', { title: 'Chair', category: 'seat' }),
    ],
    generated: sidecarFiles(VECTORS),
  });
  await publish(ada, 'ada/plain', { assets: [asset('arm', { title: 'Arm' })] });
  await publish(ada, 'ada/other', {
    assets: [asset('arm')],
    generated: sidecarFiles({ arm: { image: vectorOf(0.9) } }, { model: 'open_clip/other/model' }),
  });
  await publish(ada, 'ada/old', {
    assets: [asset('arm')],
    generated: sidecarFiles({ arm: { image: vectorOf(0.9) } }, { model: null }),
  });
});
beforeEach(() => {
  encoder.model = MODEL;
  encoder.behaviour = null;
  encoder.vectors.clear();
  encoder.vectors.set('arm', vectorOf(1));
  encoder.vectors.set('手', vectorOf(1));
});
afterAll(() => service.close());

const search = (library: string, query: string) =>
  ada.get<Envelope>(`/namespaces/ada/libraries/${library}/search?${query}`);
const across = (libraries: string, query: string) =>
  ada.get<Envelope>(`/library-search?libraries=${libraries}&${query}`);
const reason = (answer: ApiResponse<Envelope>) => [
  answer.status,
  answer.body.semantic,
  answer.headers.get(SEMANTIC_HEADER),
];
const scores = ({ body }: ApiResponse<Envelope>) => body.hits.map(({ assetId, score }) => [assetId, score]);

/** Keyword scores of `arm`: arm 3 + 1 + 2 (title, tags by prefix, id), armchair 1 (id by prefix). */
const FUSED = [
  ['hand', 1],
  ['arm', 0.5 + 0.3],
  ['armchair', 0],
  ['mug', 0],
];

describe('a search with vectors', () => {
  test('fuses keyword and vector scores, each normalised over its own candidates', async () => {
    const answer = await search('home', 'q=arm');
    expect(reason(answer)).toEqual([200, true, 'on']);
    expect(answer.body.total).toBe(4);
    expect(scores(answer).map(([id]) => id)).toEqual(FUSED.map(([id]) => id));
    for (const [at, [, score]] of FUSED.entries()) {
      expect(answer.body.hits[at]?.score).toBeCloseTo(score as number, 6);
    }
  });

  test('returns exactly the same scores page by page as all at once', async () => {
    const whole = await search('home', 'q=arm');
    for (const offset of [0, 1, 2, 3, 4]) {
      const page = await search('home', `q=arm&limit=2&offset=${offset}`);
      expect(page.body.total).toBe(4);
      expect(scores(page)).toEqual(scores(whole).slice(offset, offset + 2));
    }
  });

  test('applies filters before it normalises scores', async () => {
    const answer = await search('home', 'q=arm&category=robot');
    expect(reason(answer)).toEqual([200, true, 'on']);
    expect(scores(answer)).toEqual([
      ['hand', 1],
      ['arm', 0.3],
    ]);
    expect(scores(await search('home', 'q=arm&category=cup'))).toEqual([['mug', 1]]);
    expect(scores(await search('home', 'q=arm&category=seat'))).toEqual([['armchair', 0.3]]);
    expect((await search('home', 'q=arm&category=none')).body).toMatchObject({ semantic: true, total: 0 });
  });

  test('ranks by vector alone if the query has no tokens', async () => {
    const answer = await search('home', `q=${encodeURIComponent('手')}`);
    expect(reason(answer)).toEqual([200, true, 'on']);
    expect(scores(answer).map(([id]) => id)).toEqual(['hand', 'arm', 'mug']);
  });

  test('explains its hits only with explain=true, and refuses explain=maybe', async () => {
    expect(Object.keys((await search('home', 'q=arm')).body.hits[0]!)).not.toContain('explain');
    const { body } = await search('home', 'q=arm&explain=true');
    const arm = body.hits.find(({ assetId }) => assetId === 'arm');
    expect(arm?.explain).toEqual({
      terms: [
        { term: 'arm', field: 'title', match: 'exact', weight: 3 },
        { term: 'arm', field: 'tags', match: 'prefix', weight: 1 },
        { term: 'arm', field: 'id', match: 'exact', weight: 2 },
      ],
      keyword: 6,
      cosine: expect.closeTo(0.5, 6),
      keywordPart: 1,
      vectorPart: expect.closeTo(0.5, 6),
      score: arm?.score,
    });
    expect(body.hits.find(({ assetId }) => assetId === 'hand')?.explain).toMatchObject({
      terms: [],
      keyword: null,
      keywordPart: null,
      vectorPart: 1,
    });
    const refused = await search('home', 'q=arm&explain=maybe');
    expect([refused.status, refused.body]).toMatchObject([400, { parameter: 'explain' }]);
  });

  test('ranks several libraries together, those without usable vectors by keyword only', async () => {
    await publish(ada, 'ada/yard', {
      assets: [asset('arm', { title: 'Garden arm' })],
      generated: sidecarFiles({ arm: { image: vectorOf(0.7) } }),
    });
    const answer = await across('ada/yard,ada/plain,ada/home,ada/other', 'q=arm');
    expect(reason(answer)).toEqual([200, true, 'on']);
    const found = answer.body.hits.map(({ library, assetId, score }) => [
      `${library}/${assetId}`,
      Number(score.toFixed(6)),
    ]);
    // Keyword scores: home/arm 6, yard/arm 5, plain/arm 5, other/arm 2, home/armchair 1.
    expect(found).toEqual([
      ['home/hand', 1],
      ['yard/arm', 0.99],
      ['home/arm', 0.8],
      ['plain/arm', 0.24],
      ['other/arm', 0.06],
      ['home/armchair', 0],
      ['home/mug', 0],
    ]);
  });
});

describe('a search by keyword alone', () => {
  const byKeyword = [
    ['arm', 6],
    ['armchair', 1],
  ];

  test.each([
    ['home', '', 'no-query'],
    ['plain', 'arm', 'no-sidecar'],
    ['other', 'arm', 'model-mismatch'],
    ['old', 'arm', 'model-mismatch'],
  ])('of the library %s for "%s" reports %s and does not call the encoder', async (library, q, expected) => {
    encoder.asked.length = 0;
    expect(reason(await search(library, `q=${q}`))).toEqual([200, false, expected]);
    expect(encoder.asked).toEqual([]);
  });

  test.each<[string, () => void]>([
    ['has no model', () => (encoder.model = null)],
    [
      'cannot encode',
      () => (encoder.behaviour = async () => ({ ok: false, failure: 'late', reason: 'It is too late.' })),
    ],
    ['rejects its promise', () => (encoder.behaviour = () => Promise.reject(new Error('out of order')))],
    [
      'throws synchronously',
      () =>
        (encoder.behaviour = () => {
          throw new Error('out of order');
        }),
    ],
    ['returns NaN', () => encoder.vectors.set('arm', vectorOf(Number.NaN))],
    ['returns too few numbers', () => encoder.vectors.set('arm', new Float32Array(3).fill(0.5))],
    ['returns a zero vector', () => encoder.vectors.set('arm', new Float32Array(768))],
  ])('is the fallback for an encoder that %s', async (_, make) => {
    make();
    const answer = await search('home', 'q=arm');
    expect(reason(answer)).toEqual([200, false, 'encoder-unavailable']);
    expect(scores(answer)).toEqual(byKeyword);
  });

  test('is the fallback for vectors of a model that is replaced while the query is encoded', async () => {
    encoder.behaviour = async () => {
      encoder.model = 'open_clip/other/model';
      return { ok: true, model: 'open_clip/other/model', vector: vectorOf(1), relatedFrom: 0, cached: false };
    };
    expect(reason(await search('home', 'q=arm'))).toEqual([200, false, 'model-mismatch']);
    encoder.model = MODEL;
    const both = await across('ada/home,ada/other', 'q=arm');
    expect(reason(both)).toEqual([200, true, 'on']);
    expect(both.body.hits[0]).toMatchObject({ library: 'other', assetId: 'arm' });
  });

  test('is served while another search waits for a hanging encoder', async () => {
    let answer = (_: EncodedQuery) => {};
    encoder.behaviour = () => new Promise((resolve) => (answer = resolve));
    const hanging = search('home', 'q=arm');
    await expect.poll(() => encoder.asked.at(-1)).toBe('arm');
    expect(reason(await search('plain', 'q=arm'))).toEqual([200, false, 'no-sidecar']);
    answer({ ok: false, failure: 'time', reason: 'It took too long.' });
    expect(reason(await hanging)).toEqual([200, false, 'encoder-unavailable']);
  });

  test('explains hits by their matching terms alone', async () => {
    const { body } = await search('plain', 'q=ar&explain=true');
    expect(body.hits[0]?.explain).toEqual({
      terms: [
        { term: 'ar', field: 'title', match: 'prefix', weight: 1.5 },
        { term: 'ar', field: 'id', match: 'prefix', weight: 1 },
      ],
      keyword: 2.5,
      cosine: null,
      keywordPart: null,
      vectorPart: null,
      score: 2.5,
    });
  });
});

describe('whether a library is semantic', () => {
  const detail = async (name: string) =>
    (await ada.get<LibraryDetail>(`/namespaces/ada/libraries/${name}`)).body;

  test('depends on the encoder that is active when the library is read', async () => {
    expect(await detail('home')).toMatchObject({ semantic: true, vectorsDim: 768 });
    expect(await detail('other')).toMatchObject({ semantic: false, vectorsDim: 768 });
    expect(await detail('plain')).toMatchObject({ semantic: false, vectorsDim: null });
    encoder.model = 'open_clip/other/model';
    expect(await detail('home')).toMatchObject({ semantic: false, vectorsDim: 768 });
    expect(await detail('other')).toMatchObject({ semantic: true });
    const { body } = await ada.get<{ libraries: LibrarySummary[] }>('/namespaces/ada/libraries');
    const flags = body.libraries.map(({ name, semantic }) => [name, semantic] as const);
    expect(Object.fromEntries(flags)).toMatchObject({ home: false, other: true, plain: false, old: false });
  });

  test('changes the ETag of the library', async () => {
    const path = '/namespaces/ada/libraries/home';
    const before = (await ada.get(path)).headers.get('etag');
    encoder.model = null;
    expect((await ada.get(path)).headers.get('etag')).not.toBe(before);
  });
});

describe('a revision', () => {
  test('is searched by its own vectors as soon as it is registered', async () => {
    const assets = [asset('one'), asset('two')];
    const nearest = async () =>
      (await search('moving', `q=${encodeURIComponent('手')}`)).body.hits[0]?.assetId;
    const one = { one: { image: vectorOf(0.9) }, two: { image: vectorOf(0.1) } };
    const two = { one: { image: vectorOf(0.1) }, two: { image: vectorOf(0.9) } };
    await publish(ada, 'ada/moving', { assets, generated: sidecarFiles(one) });
    expect(await nearest()).toBe('one');
    await publish(ada, 'ada/moving', { assets, generated: sidecarFiles(two) });
    expect(await nearest()).toBe('two');
    // The same sidecar, with an asset before the others: their numbers move.
    await publish(ada, 'ada/moving', { assets: [asset('also'), ...assets], generated: sidecarFiles(two) });
    expect(await nearest()).toBe('two');
  });

  test('is searched by keyword if its vectors are missing from disk', async () => {
    await publish(ada, 'ada/lost', {
      assets: [asset('arm')],
      generated: sidecarFiles({ arm: { image: seededVector(5) } }),
    });
    const { storeId, sha256 } = await objectOf('lost', VECTORS_MATRIX_PATH);
    await service.context.objects.delete(storeId, [sha256], async (all) => new Set(all));
    const answer = await search('lost', 'q=arm');
    expect(reason(answer)).toEqual([200, false, 'encoder-unavailable']);
    expect(answer.body.total).toBe(1);
  });
});

async function objectOf(name: string, path: string): Promise<{ storeId: string; sha256: string }> {
  const { db, revisions } = service.context;
  const row = await db.selectFrom('libraries').selectAll().where('name', '=', name).executeTakeFirstOrThrow();
  const index = await revisions.load({ storeId: row.store_id, sha256: row.index_sha256 });
  return { storeId: row.store_id, sha256: index.findFile(path)?.sha256 ?? '' };
}

describe('a search by relevance', () => {
  const relevant = async (query: string) => {
    const { status, body } = await search('home', `q=arm&rank=relevance&${query}`);
    expect(status).toBe(200);
    return {
      total: body.total,
      hits: body.hits.map(({ assetId, isRelated = false }) => [assetId, isRelated]),
    };
  };
  beforeEach(() => {
    encoder.relatedFrom = 0.5;
  });
  afterEach(() => {
    encoder.relatedFrom = 0;
  });

  test('marks what is only related, and leaves out what is not close in meaning', async () => {
    expect(await relevant('')).toEqual({
      total: 3,
      hits: [
        ['arm', false],
        ['hand', true],
        ['armchair', false],
      ],
    });
  });

  test.each([
    [
      'words',
      ['arm', 'armchair'],
      [
        ['robot', 1],
        ['seat', 1],
      ],
    ],
    ['meaning', ['hand'], [['robot', 1]]],
  ] as const)('finds and counts by %s alone', async (match, ids, categories) => {
    const { body } = await search('home', `q=arm&rank=relevance&facets=true&match=${match}`);
    expect(body.hits.map(({ assetId }) => assetId)).toEqual(ids);
    expect(body.total).toBe(ids.length);
    expect(body.facets?.category.map(({ value, count }) => [value, count])).toEqual(categories);
    const sorted = await search('home', `q=arm&rank=relevance&sort=title&match=${match}`);
    expect(sorted.body.hits.map(({ assetId }) => assetId).sort()).toEqual([...ids].sort());
  });

  test('asks for more nearness where no asset has any of the words', async () => {
    encoder.vectors.set('zyx', vectorOf(1));
    encoder.relatedFrom = 0.8;
    expect((await relevant('')).hits).toContainEqual(['hand', true]);
    const unknown = async () => (await search('home', 'q=zyx&rank=relevance')).body;
    expect(await unknown()).toMatchObject({ semantic: true, total: 0 });
    encoder.relatedFrom = 0.6;
    expect((await unknown()).hits.map(({ assetId }) => assetId)).toEqual(['hand']);
  });

  test('is content with less nearness to what is described than to what is named', async () => {
    encoder.relatedFrom = 0.9;
    const found = async (q: string) =>
      (await search('home', `q=${encodeURIComponent(q)}&rank=relevance`)).body.hits.map(
        ({ assetId }) => assetId,
      );
    for (const q of ['holding tongs', 'what holds these']) encoder.vectors.set(q, vectorOf(1));
    expect(await found('holding tongs')).toEqual([]);
    expect(await found('what holds these')).toEqual(['hand']);
  });

  test('finds nothing by a part of the words where another one is nowhere and nothing is close in meaning', async () => {
    const found = async () =>
      (await search('home', 'q=arm%20violin&rank=relevance')).body.hits.map(({ assetId }) => assetId);
    encoder.vectors.set('arm violin', vectorOf(0.1, 0.99));
    expect(await found()).toEqual([]);
    encoder.vectors.set('arm violin', vectorOf(1));
    expect(await found()).toContain('arm');
    encoder.vectors.delete('arm violin');
    expect(await found()).toContain('arm');
  });

  test('takes what is beyond the hundredth in meaning for a little less near than that', async () => {
    const ids = Array.from({ length: 100 }, (_, at) => `near-${at}`);
    await publish(ada, 'ada/many', {
      assets: [...ids.map((id) => asset(id)), asset('word', { title: 'Arm' })],
      generated: sidecarFiles({
        ...Object.fromEntries(ids.map((id, at) => [id, { text: vectorOf(0.7 - at / 1000) }])),
        word: { text: vectorOf(0.1) },
      }),
    });
    const query = 'q=arm%20xyzzy&rank=relevance&explain=true';
    encoder.vectors.set('arm xyzzy', vectorOf(1));
    for (const order of ['', '&sort=title&limit=101']) {
      const { hits } = (await search('many', query + order)).body;
      const found = hits.find(({ assetId }) => assetId === 'word');
      const { cosine, vectorPart, keywordPart } = found?.explain ?? {};
      expect(cosine).toBeNull();
      expect(vectorPart).toBeCloseTo(0.9 * 0.601);
      expect(found?.score).toBeCloseTo((keywordPart ?? 0) + 0.9 * 0.601);
    }
    const { hits } = (await search('many', query)).body;
    expect(hits[0]?.assetId).toBe('word');
  });

  test('ignores meaning if the model does not know the words', async () => {
    encoder.relatedFrom = Number.POSITIVE_INFINITY;
    const { hits } = await relevant('explain=true');
    expect(hits.map(([id]) => id)).toEqual(['arm', 'armchair']);
    const { body } = await search('home', `q=${encodeURIComponent('谢谢')}&rank=relevance`);
    expect(body).toMatchObject({ total: 0, hits: [] });
  });

  test('leaves out what is no closer than to a text that means nothing, if the model does not say', async () => {
    encoder.relatedFrom = null;
    const meaningless = ['xyzzyq', 'blorft wug', 'qwrtp zzkl', 'snarf gleeb tovu'];
    for (const text of meaningless) encoder.vectors.set(text, vectorOf(0.99));
    for (const text of meaningless)
      expect((await search('home', `q=${text}&rank=relevance`)).body, text).toMatchObject({ total: 0 });
    expect((await relevant('')).hits.map(([id]) => id)).toEqual(['arm', 'armchair']);
  });

  test('is the only one that can be asked for words or meaning', async () => {
    expect((await search('home', 'q=arm&match=words')).status).toBe(400);
  });
});
