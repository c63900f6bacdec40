import fc from 'fast-check';
import { expect, test } from 'vitest';
import { stringifyInTurns } from '../../src/process/stringify.ts';

const long = (element: fc.Arbitrary<unknown>) => fc.array(element, { minLength: 40, maxLength: 120 });
const nested = fc.oneof(
  fc.jsonValue(),
  long(fc.jsonValue()),
  fc.dictionary(fc.string(), fc.oneof(fc.jsonValue(), fc.dictionary(fc.string(), long(fc.jsonValue())))),
);

test('stringifying in turns writes the same text as JSON.stringify', async () => {
  await fc.assert(
    fc.asyncProperty(nested, async (value) => {
      expect(await stringifyInTurns(value)).toBe(JSON.stringify(value));
    }),
  );
});
