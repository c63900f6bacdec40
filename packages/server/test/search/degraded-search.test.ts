import { SEMANTIC_HEADER, type SearchHit } from '@bindery/contract';
import { removeModel } from '@bindery/encoder';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { killEncoders } from '../../../../test/encoder-processes.ts';
import { SMALL_MODEL } from '../../../encoder/test/small-model.ts';
import type { ActiveEncoderOptions } from '../../src/adapters/encoder/active-encoder.ts';
import { QUERY_LIMITS } from '../../src/adapters/encoder/loaded-model.ts';
import { ModelWorld, TIMEOUT } from './model-world.ts';

vi.setConfig({ testTimeout: 3 * TIMEOUT });

let world: ModelWorld;
afterEach(() => world.close());

const open = async (options: Partial<ActiveEncoderOptions> = {}) => {
  world = await ModelWorld.open(options);
};

interface Found {
  status: number;
  semantic: boolean;
  reason: string | null;
  hits: SearchHit[];
}

async function search(q: string, library = 'home', more = ''): Promise<Found> {
  const path = `/namespaces/ada/libraries/${library}/search?q=${encodeURIComponent(q)}${more}`;
  const { status, headers, body } = await world.ada.get<Found>(path);
  return { status, semantic: body.semantic, reason: headers.get(SEMANTIC_HEADER), hits: body.hits };
}

const ids = ({ hits }: Found) => hits.map(({ assetId }) => assetId);

/** By keyword alone, and as good as that is. */
async function expectKeywords(q: string, hits: string[]): Promise<void> {
  const found = await search(q);
  expect(found).toMatchObject({ status: 200, semantic: false, reason: 'encoder-unavailable' });
  expect(ids(found)).toEqual(hits);
}

async function expectMeaning(q: string): Promise<Found> {
  let found: Found | undefined;
  await expect
    .poll(async () => (found = await search(q)), { timeout: TIMEOUT })
    .toMatchObject({ status: 200, semantic: true, reason: 'on' });
  return found as Found;
}

async function expectReason(q: string, library: string, reason: string): Promise<void> {
  await expect.poll(() => search(q, library), { timeout: TIMEOUT }).toMatchObject({ status: 200, reason });
}

test('a search is semantic while a model is installed, and by keyword before and after', async () => {
  await open();
  await expectKeywords('red', ['red']);
  await world.install('small');
  expect(ids(await expectMeaning('red'))[0]).toBe('red');
  await removeModel(world.models, SMALL_MODEL);
  await expectReason('red', 'home', 'encoder-unavailable');
  await expectKeywords('red', ['red']);
  await expectReason('red', 'plain', 'encoder-unavailable');
});

test('a query in any script gets a semantic search if the library has vectors of the model', async () => {
  await open();
  await world.install('small');
  for (const q of ['赤いマグ', 'красный', 'أحمر', '빨간 컵', '🫖', '\u0301', '"', 'x'.repeat(400)]) {
    const { hits } = await expectMeaning(q);
    expect(hits).toHaveLength(3);
    await expectReason(q, 'other', 'model-mismatch');
    await expectReason(q, 'plain', 'no-sidecar');
  }
});

describe('a search falls back to keywords while the encoder', () => {
  test.each([
    ['throws', 'failed'],
    ['not a number', 'output'],
    ['zero', 'output'],
    ['too narrow', 'output'],
    ['no model at all', 'damaged'],
  ] as const)('has a broken model (%s), until the model is replaced', async (kind, outcome) => {
    await open();
    await world.install(kind);
    await expect
      .poll(() => search('red').then(() => world.outcomes), { timeout: TIMEOUT })
      .toContain(outcome);
    for (let query = 0; query < 5; query++) await expectKeywords(`red ${query}`, ['red']);
    await world.install('small');
    await expectMeaning('red');
  });

  test('hangs, without holding up other searches, until the model is replaced', async () => {
    const limits = { ...QUERY_LIMITS, waitLimit: 300, rest: 50 };
    await open({ timeLimit: 1_000, limits });
    await world.install('hangs');
    await expect.poll(() => search('red').then(() => world.outcomes), { timeout: TIMEOUT }).toContain('time');
    const hanging = expectKeywords('red again', ['red']);
    expect(await search('red', 'plain')).toMatchObject({ status: 200 });
    await hanging;
    await world.install('small');
    await expectMeaning('red');
  });

  test('is killed during queries, until it runs again with a working model', async () => {
    await open();
    await world.install('hangs');
    await expect
      .poll(
        async () => {
          const found = search('red');
          await killEncoders();
          expect(await found).toMatchObject({ status: 200, reason: 'encoder-unavailable' });
          return world.outcomes;
        },
        { timeout: TIMEOUT },
      )
      .toContain('failed');
    await world.install('small');
    await expectMeaning('red');
    await killEncoders();
    await expectMeaning('blue');
  });

  test('has more queries waiting than its queue allows', async () => {
    await open({ queueLength: 2, timeLimit: 1_000, limits: { ...QUERY_LIMITS, waitLimit: 500 } });
    await world.install('hangs');
    await expect.poll(async () => (await search('red')).status, { timeout: TIMEOUT }).toBe(200);
    await expect
      .poll(
        async () => {
          const found = await Promise.all(Array.from({ length: 8 }, (_, at) => search(`red ${at}`)));
          for (const { status, semantic } of found) expect([status, semantic]).toEqual([200, false]);
          return world.outcomes;
        },
        { timeout: TIMEOUT },
      )
      .toContain('busy');
  });
});

test('running searches switch to a replaced model and never go back to the previous one', async () => {
  await open();
  await world.install('small');
  await expectMeaning('red');
  let stopped = false;
  /** Which model answered a person's searches, one after another, as their cosines tell. */
  async function searchOnAndOn(person: number): Promise<string[]> {
    const models: string[] = [];
    for (let turn = 0; !stopped; turn++) {
      // Some queries are remembered, some are new; all mean the same to either model.
      const q = turn % 2 === 0 ? 'red' : `${' '.repeat(1 + person + 4 * (turn % 90))}red`;
      const found = await search(q, 'home', '&explain=true');
      expect(found.status).toBe(200);
      expect(['on', 'encoder-unavailable']).toContain(found.reason);
      if (found.reason !== 'on') continue;
      const cosine = (id: string) => found.hits.find(({ assetId }) => assetId === id)?.explain?.cosine ?? 0;
      const model = cosine('same') > 0.999 ? 'says one thing' : cosine('red') > 0.999 ? 'small' : 'neither';
      if (models.at(-1) !== model) models.push(model);
      last = model;
    }
    return models;
  }
  let last = '';
  const people = Promise.all([0, 1, 2, 3].map(searchOnAndOn));
  people.catch(() => {});
  const installed = ['says one thing', 'small', 'says one thing'] as const;
  try {
    await expect.poll(() => last, { timeout: TIMEOUT }).toBe('small');
    for (const kind of installed) {
      await world.install(kind);
      await expect.poll(() => last, { timeout: TIMEOUT }).toBe(kind);
    }
  } finally {
    stopped = true;
  }
  for (const models of await people) expect(models).toEqual(['small', ...installed].slice(0, models.length));
});
