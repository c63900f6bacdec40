import { sortedByUtf8 } from '@bindery/contract';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeKeywordIndex, type KeywordDocument } from '../../src/revision/keywords/encode-keywords.ts';
import { type Filters, KeywordIndex } from '../../src/revision/keywords/keyword-index.ts';
import { normalised } from '../../src/search/fusion.ts';
import { Ranking } from '../../src/search/ranking.ts';
import type { VectorCandidate } from '../../src/search/vectors/vector-search.ts';
import { type ReferenceLibrary, referenceFusedSearch } from './reference-fusion.ts';

describe('score normalisation', () => {
  test.each([
    [5, { least: 1, most: 9 }, 0.5],
    [-0.2, { least: -0.4, most: 0 }, 0.5],
    [1, { least: 1, most: 9 }, 0],
    [2, { least: 2, most: 2 }, 1],
    [0, { least: 0, most: 0 }, 0],
    [-0.1, { least: -0.1, most: -0.1 }, 0],
  ])('%j in %j is normalised to %j', (value, span, expected) => {
    expect(normalised(value, span)).toBeCloseTo(expected, 12);
  });
});

/** Few words, ids and cosines, so that ties, empty sides and single candidates are frequent. */
const document = fc.record({
  id: fc.stringMatching(/^[abAB][-_.ab]{0,2}$/),
  title: fc.option(fc.constantFrom('arm', 'robot arm', 'armchair', 'hand')),
  description: fc.option(fc.constantFrom('an arm', 'robotic', '手')),
  tags: fc.subarray(['arm', 'robot', 'red']),
  category: fc.option(fc.constantFrom('x', 'y')),
  kind: fc.constantFrom('mesh', 'file'),
  license: fc.constant(null),
});
const cosine = fc.oneof(
  fc.constantFrom(-0.5, -0.25, 0, 0.25, 0.5, 1),
  fc.double({ min: -1, max: 1, noNaN: true }),
);
const library = fc.uniqueArray(document, { selector: ({ id }) => id, maxLength: 12 }).chain((documents) =>
  fc.record({
    documents: fc.constant(documents),
    cosines: fc.option(
      fc
        .array(fc.option(cosine), { minLength: documents.length, maxLength: documents.length })
        .map((values) => new Map(documents.flatMap(({ id }, at) => pair(id, values[at])))),
    ),
  }),
);

function pair(id: string, value: number | null | undefined): [string, number][] {
  return typeof value === 'number' ? [[id, value]] : [];
}

const query = fc.constantFrom('arm', 'robot arm', 'ro', 'a', 'zzz', '手', 'red hand');
const filters = fc.constantFrom<Filters>(
  {},
  { category: 'x' },
  { kind: 'mesh', tag: 'red' },
  { kind: 'none' },
);
const range = fc.record({ offset: fc.nat(40), limit: fc.integer({ min: 1, max: 30 }) });

/** The nearest among prepared cosines, as the port to vectors answers them. */
function nearest(libraries: readonly OrderedLibrary[], filter: Filters): VectorCandidate[] {
  return libraries
    .flatMap(({ ordered, index, cosines }, target) => {
      const selected = index.select(filter);
      return ordered.flatMap(({ id }, at) => {
        const value = cosines?.get(id);
        return value === undefined || selected?.[at] === 0 ? [] : [{ target, document: at, cosine: value }];
      });
    })
    .sort((a, b) => b.cosine - a.cosine || a.target - b.target || a.document - b.document)
    .slice(0, 100);
}

interface OrderedLibrary extends ReferenceLibrary {
  ordered: KeywordDocument[];
  index: KeywordIndex;
}

function inOrder(one: ReferenceLibrary): OrderedLibrary {
  const byId = new Map(one.documents.map((entry) => [entry.id, entry]));
  const ordered = sortedByUtf8(byId.keys()).map((id) => byId.get(id)!);
  return { ...one, ordered, index: new KeywordIndex(encodeKeywordIndex(ordered)) };
}

async function fusedPage(
  libraries: readonly ReferenceLibrary[],
  q: string,
  filter: Filters,
  page: { offset: number; limit: number },
) {
  const ordered = libraries.map(inOrder);
  const ranking = new Ranking(q);
  for (const { index } of ordered) await ranking.add(index, index.select(filter));
  const { total, hits } = await ranking.fusedPage(nearest(ordered, filter), page);
  return {
    total,
    hits: hits.map(({ target, document: at, score }) => ({
      library: target,
      id: ordered[target]!.ordered[at]!.id,
      score,
    })),
  };
}

test('the fused ranking matches a plain implementation of the rules exactly, on every page', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(library, { minLength: 1, maxLength: 3 }),
      query,
      filters,
      range,
      async (libraries, q, filter, page) => {
        const expected = referenceFusedSearch(libraries, q, filter);
        expect(await fusedPage(libraries, q, filter, page)).toEqual({
          total: expected.length,
          hits: expected.slice(page.offset, page.offset + page.limit),
        });
      },
    ),
    { numRuns: 2_000 },
  );
});

test('pages beyond the vector candidates continue with the keyword hits', async () => {
  const documents = Array.from(
    { length: 400 },
    (_, n): KeywordDocument => ({
      id: `a${n}`,
      title: n % 3 === 0 ? 'arm' : 'armchair',
      description: null,
      tags: n % 7 === 0 ? ['arm'] : [],
      category: null,
      kind: 'mesh',
      license: null,
    }),
  );
  const cosines = new Map(documents.map(({ id }, n) => [id, Math.sin(n)]));
  const libraries = [{ documents, cosines }];
  const expected = referenceFusedSearch(libraries, 'arm');
  for (const offset of [0, 50, 99, 100, 101, 250, 399, 400, 1_000, Number.MAX_SAFE_INTEGER]) {
    const page = { offset, limit: 25 };
    expect(await fusedPage(libraries, 'arm', {}, page)).toEqual({
      total: 400,
      hits: expected.slice(offset, offset + 25),
    });
  }
});
