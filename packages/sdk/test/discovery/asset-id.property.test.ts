import { assetId } from '@bindery/contract';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { assetIdsFor } from '../../src/discovery/asset-id.ts';

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
