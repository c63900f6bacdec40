import { sortedByUtf8 } from '@bindery/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeKeywordIndex, type KeywordDocument } from '../../src/revision/keywords/encode-keywords.ts';
import { type Filters, KeywordIndex, tokenize } from '../../src/revision/keywords/keyword-index.ts';
import { Ranking } from '../../src/search/ranking.ts';
import { referenceSearch } from './reference-search.ts';

const ARM: KeywordDocument = {
  id: 'ur5e',
  title: 'Universal Robots UR5e',
  description: 'A six-axis arm. The arm of many labs.',
  tags: ['robot arm', 'UR5e'],
  category: 'arm',
  kind: 'mjcf',
  license: 'MIT',
};
const HAND: KeywordDocument = {
  id: 'shadow_hand',
  title: 'Shadow Hand',
  description: 'A dexterous hand on a forearm',
  tags: ['hand', '24 dof'],
  category: 'hand',
  kind: 'mjcf',
  license: 'Apache-2.0',
};
const FOX: KeywordDocument = {
  id: 'Fox',
  title: null,
  description: null,
  tags: [],
  category: null,
  kind: 'mesh',
  license: null,
};

async function search(documents: KeywordDocument[], q: string, filters: Filters = {}) {
  const { hits } = await find(documents, q, filters);
  return hits;
}

async function find(
  documents: KeywordDocument[],
  q: string,
  filters: Filters = {},
  page = { offset: 0, limit: 10_000 },
) {
  const byId = new Map(documents.map((document) => [document.id, document]));
  const ordered = sortedByUtf8(byId.keys()).map((id) => byId.get(id)!);
  const index = new KeywordIndex(encodeKeywordIndex(ordered));
  const ranking = new Ranking(q);
  await ranking.add(index, index.select(filters));
  const { total, hits } = await ranking.page(page);
  return { total, hits: hits.map(({ document, score }) => ({ id: ordered[document]!.id, score })) };
}

describe('tokens', () => {
  test.each([
    ['Universal Robots UR5e', ['universal', 'robots', 'ur5e']],
    ['shadow_hand-2.0', ['shadow', 'hand', '2', '0']],
    ['  ', []],
    ['机器人 робот', []],
    ['naïve café', ['na', 've', 'caf']],
    ['\u212Aelvin \u0130stanbul \u017Fix', ['elvin', 'stanbul', 'ix']],
  ])('%j has the tokens %j', (text, tokens) => {
    expect(tokenize(text)).toEqual(tokens);
  });
});

describe('scores', () => {
  test('an exact match earns the weight of every field it occurs in', async () => {
    // title 3, tags 2, id 2
    expect(await search([ARM, HAND, FOX], 'ur5e')).toEqual([{ id: 'ur5e', score: 7 }]);
  });

  test('a prefix match earns half the weight of each field, an exact match all of it', async () => {
    expect(await search([ARM, HAND, FOX], 'ur')).toEqual([{ id: 'ur5e', score: 3.5 }]);
    expect(await search([ARM], 'arm')).toEqual([{ id: 'ur5e', score: 3 }]);
  });

  test('a token inside another one does not match', async () => {
    expect(await search([HAND], 'arm')).toEqual([]);
  });

  test('query words add up, and a repeated word counts once', async () => {
    expect(await search([HAND], 'hand')).toEqual([{ id: 'shadow_hand', score: 8 }]);
    expect(await search([HAND], 'hand HAND Hand')).toEqual([{ id: 'shadow_hand', score: 8 }]);
    expect(await search([HAND], 'hand dext unknown')).toEqual([{ id: 'shadow_hand', score: 8.5 }]);
  });

  test('an empty query lists everything by id with score 0', async () => {
    expect(await search([ARM, HAND, FOX], '')).toEqual(
      ['Fox', 'shadow_hand', 'ur5e'].map((id) => ({ id, score: 0 })),
    );
  });

  test('a query without tokens finds nothing', async () => {
    expect(await search([ARM, HAND, FOX], '机器人')).toEqual([]);
    expect(await search([ARM, HAND, FOX], ' ')).toEqual([]);
  });

  test('an empty index finds nothing', async () => {
    expect(await search([], 'arm')).toEqual([]);
    expect(await search([], '')).toEqual([]);
  });
});

describe('filters', () => {
  test.each<[Filters, string[]]>([
    [{ kind: 'mjcf' }, ['shadow_hand', 'ur5e']],
    [{ license: 'MIT' }, ['ur5e']],
    [{ license: 'mit' }, []],
    [{ license: 'MI' }, []],
    [{ tag: 'robot arm' }, ['ur5e']],
    [{ tag: 'robot' }, []],
    [{ category: 'hand', kind: 'mjcf' }, ['shadow_hand']],
    [{ category: 'hand', license: 'MIT' }, []],
    [{ category: '' }, []],
  ])('%j lets %j pass', async (filters, ids) => {
    expect((await search([ARM, HAND, FOX], '', filters)).map(({ id }) => id)).toEqual(ids);
  });

  test('also apply to keyword hits', async () => {
    expect(await search([ARM, HAND], 'hand arm', { license: 'Apache-2.0' })).toEqual([
      { id: 'shadow_hand', score: 8 },
    ]);
  });
});

// Few letters, so that tokens often are equal or begin alike.
const word = fc.string({ unit: fc.constantFrom('a', 'b', 'B', '0', 'é', '\u212A', '机', '-'), maxLength: 5 });
const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(' '));
const vocabulary = fc.constantFrom('x', 'y', 'x.y');
const anyDocument: fc.Arbitrary<KeywordDocument> = fc.record({
  id: fc.stringMatching(/^[abAB0][ab0._-]{0,4}$/),
  title: fc.option(text),
  description: fc.option(text),
  tags: fc.array(text, { maxLength: 3 }),
  category: fc.option(vocabulary),
  kind: vocabulary,
  license: fc.option(fc.constantFrom('MIT', 'mit', '')),
});
const anyLibrary = fc.uniqueArray(anyDocument, { selector: ({ id }) => id, maxLength: 40 });
const anyFilters: fc.Arbitrary<Filters> = fc.record(
  {
    category: vocabulary,
    kind: vocabulary,
    license: fc.constantFrom('MIT', 'mit', ''),
    tag: fc.oneof(text, fc.constantFrom('a', 'b')),
  },
  { requiredKeys: [] },
);

test('keyword search agrees with a plain implementation of the specified rules', async () => {
  await fc.assert(
    fc.asyncProperty(anyLibrary, text, anyFilters, async (library, query, filters) => {
      expect(await search(library, query, filters)).toEqual(referenceSearch(library, query, filters));
    }),
    { numRuns: 400 },
  );
});

test('keyword search pages are slices of one order at any depth', async () => {
  await fc.assert(
    fc.asyncProperty(
      anyLibrary,
      text,
      fc.nat(45),
      fc.integer({ min: 1, max: 10 }),
      async (library, query, offset, limit) => {
        const all = referenceSearch(library, query);
        const page = await find(library, query, {}, { offset, limit });
        expect(page).toEqual({ total: all.length, hits: all.slice(offset, offset + limit) });
      },
    ),
  );
});

test('keyword search agrees with the specified rules in a library large enough for merged prefixes', async () => {
  const words = Array.from({ length: 60 }, (_, n) => `${'abc'[n % 3]}${(n * 7919).toString(36)}`);
  const at = (n: number) => words[n % words.length]!;
  const library = Array.from(
    { length: 1_500 },
    (_, n): KeywordDocument => ({
      ...FOX,
      id: `${at(n)}-${n}`,
      title: n % 3 === 0 ? `${at(n * 3)} ${at(n * 5 + 1)}` : null,
      description: `${at(n * 11)} ${at(n * n)} ${at(n + 2)}`,
      tags: [at(n * 2)],
    }),
  );
  for (const query of [
    'a',
    'b c',
    'a a1',
    'b7 c8 a',
    'a6 b',
    'ab',
    'c9 1',
    words[4]!,
    words[7]!.slice(0, 2),
  ]) {
    expect(await search(library, query)).toEqual(referenceSearch(library, query));
  }
});

test('two concurrent keyword searches do not affect each other', async () => {
  const ordered = Array.from(
    { length: 50_000 },
    (_, n): KeywordDocument => ({
      ...FOX,
      id: `a${String(n).padStart(5, '0')}`,
      description: n % 2 === 0 ? 'even' : 'odd',
    }),
  );
  const index = new KeywordIndex(encodeKeywordIndex(ordered));
  // So many targets that each search lets the other run in the middle of its work.
  const searchMany = async (q: string) => {
    const ranking = new Ranking(q);
    for (let target = 0; target < 40; target++) await ranking.add(index, null);
    return ranking.page({ offset: 0, limit: 3 });
  };
  const [even, odd] = await Promise.all([searchMany('even'), searchMany('odd')]);
  expect(even?.total).toBe(40 * 25_000);
  expect(odd?.total).toBe(40 * 25_000);
  expect(even?.hits.map(({ document }) => document)).toEqual([0, 2, 4]);
  expect(odd?.hits.map(({ document }) => document)).toEqual([1, 3, 5]);
});
