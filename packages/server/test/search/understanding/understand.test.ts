import { expect, test } from 'vitest';
import { readParts, understand } from '../../../src/search/understanding/understand.ts';
import { CONSTRAINED, PLAIN } from './written-queries.ts';

/** What a library that knows no author understands. */
function read(query: string, asWords: string[] = []): [filters: string[], words: string] {
  const parts = readParts(query, asWords).filter(({ filter }) => filter !== 'author');
  const { filters, words } = understand(query, parts, {});
  return [Object.entries(filters).map(([name, values]) => `${name}=${values}`), words];
}

test.each(CONSTRAINED)('%s', (query, filters, words) => {
  const [found, left] = read(query);
  expect([found.toSorted(), left]).toEqual([filters.toSorted(), words]);
});

test.each(PLAIN)('%s is words', (query) => {
  expect(read(query)).toEqual([[], query]);
});

test('what is asked for twice must hold twice, of licences either', () => {
  expect(read('tree over 1 MB and under 5 MB')).toEqual([['bytes=1000000..5000000'], 'tree']);
  expect(read('MIT licence tree, CC0')).toEqual([['license=MIT,CC0-1.0'], 'tree']);
});

test('no more and no less are what they say', () => {
  expect(read('chair no bigger than 1 m')).toEqual([['extent=..1'], 'chair']);
  expect(read('not lighter than 5 kg')).toEqual([['mass=5..'], '']);
});

test('what is to be words stays words, whatever else is in the query', () => {
  expect(read('gripper under 5 MB, CC0', ['under 5 MB'])).toEqual([
    ['license=CC0-1.0'],
    'gripper under 5 MB',
  ]);
  expect(read('gripper under 5 MB, CC0', ['gripper under 5 MB, CC0'])).toEqual([
    [],
    'gripper under 5 MB, CC0',
  ]);
});

test('what something is as large as says how large it is', () => {
  expect(readParts('tool that fits in one hand', [])).toMatchObject([
    { filter: 'extent', values: ['..0.2'] },
  ]);
  expect(readParts('robot the size of a person', [])).toMatchObject([
    { filter: 'extent', values: ['1.2..2.5'] },
  ]);
  expect(readParts('robot hand, size of a hand', [])).toEqual([]);
});
