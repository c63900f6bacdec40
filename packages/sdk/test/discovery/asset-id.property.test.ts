import { assetId } from '@bindery/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assetIdsFor } from '../../src/discovery/units/names.ts';

const names = fc.uniqueArray(
  fc.oneof(
    fc.string({ minLength: 1, maxLength: 60, unit: 'binary' }),
    fc.string({ minLength: 1, maxLength: 200, unit: fc.constantFrom('a', 'A', 'ä', ' ', '-', '.', '日') }),
  ),
  { maxLength: 40 },
);

test('every name gets a valid asset id, and no two names get the same one', () => {
  fc.assert(
    fc.property(names, (list) => {
      const ids = [...assetIdsFor(list).values()];
      for (const id of ids) expect(assetId.safeParse(id).success, id).toBe(true);
      expect(new Set(ids).size).toBe(list.length);
    }),
  );
});

test('the asset id of a name does not depend on the order of the names', () => {
  fc.assert(
    fc.property(names, (list) => {
      expect(new Map([...assetIdsFor(list.toReversed())].reverse())).toEqual(assetIdsFor(list));
    }),
  );
});

test('a name that is already a valid asset id is kept', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-zA-Z0-9][a-zA-Z0-9._-]{0,127}$/), names, (name, others) => {
      expect(assetIdsFor([...others, name]).get(name)).toBe(name);
    }),
  );
});

test('a name in other letters keeps its id when others come and go, and on systems that decompose its letters', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('日本', '椅子.obj', '木の椅子 2', 'стул', 'дом.glb'),
      names,
      (name, others) => {
        const alone = assetIdsFor([name]).get(name);
        expect(alone).toMatch(/-[0-9a-f]{8}$/);
        const rest = others.filter((other) => other.normalize('NFC') !== name.normalize('NFC'));
        expect(assetIdsFor([...rest, name]).get(name)).toBe(alone);
        const decomposed = name.normalize('NFD');
        expect(assetIdsFor([decomposed]).get(decomposed)).toBe(alone);
      },
    ),
  );
});

test.each([
  ['Bürostuhl', 'Burostuhl'],
  ['Straße 7', 'Strasse-7'],
  ['Ærø.obj', 'AEro.obj'],
  ['Łódź', 'Lodz'],
  ['Ｍｕｇ①', 'Mug1'],
  ['mug (1).obj', 'mug-1-.obj'],
  ['日本', 'asset-cf2abf0c'],
  ['椅子.obj', 'obj-6fbf11cd'],
  ['chair 椅子.obj', 'chair.obj-d0a2936e'],
])('%s gets the asset id %s', (name, id) => {
  expect(assetIdsFor([name]).get(name)).toBe(id);
});

test('names that differ only in the composition of a letter get different asset ids', () => {
  const [composed, decomposed] = ['ä', 'a\u0308'];
  const ids = assetIdsFor([composed, decomposed]);
  expect(ids.get(composed)).not.toBe(ids.get(decomposed));
});
