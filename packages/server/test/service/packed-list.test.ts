import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packList, packListInTurns, unpackList, unpackListInTurns } from '../../src/process/packed-list.ts';

test('a packed list unpacks to the same list, whether at once or in turns', async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(3_500), fc.jsonValue(), async (length, value) => {
      const list = Array.from({ length }, (_, number) => ({ number, value }));
      const same = JSON.parse(JSON.stringify(list));
      for (const packed of [packList(list), await packListInTurns(list)]) {
        expect(packed.length).toBe(Math.ceil(length / 1_000));
        expect(unpackList(packed)).toEqual(same);
        expect(await unpackListInTurns(packed)).toEqual(same);
      }
    }),
    { numRuns: 8 },
  );
});
