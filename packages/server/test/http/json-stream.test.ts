import { text } from 'node:stream/consumers';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { streamJson } from '../../src/views/rest/send-list.ts';

test('a streamed JSON list has the same text as from JSON.stringify', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.dictionary(fc.stringMatching(/^[a-z]+$/), fc.jsonValue(), { maxKeys: 3 }),
      fc.array(fc.jsonValue(), { maxLength: 5 }),
      fc.constantFrom(0, 1, 199, 200, 201, 1_000),
      async (head, elements, repeated) => {
        const list = [...elements, ...Array(repeated).fill('again')];
        const streamed = await text(streamJson(head, 'LIST', list));
        expect(streamed).toBe(JSON.stringify({ ...head, LIST: list }));
      },
    ),
  );
});

test('the elements of a streamed list are read as they are sent, not all in advance', async () => {
  let asked = 0;
  function* numbers() {
    while (asked < 100_000) yield asked++;
  }
  const stream = streamJson({}, 'numbers', numbers());
  await new Promise((resolve) => stream.once('readable', resolve));
  expect(asked).toBeLessThan(100_000);
  stream.destroy();
});
