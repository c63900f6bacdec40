import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { encodeTextColumn, encodeTextTable, TextColumn, TextTable } from '../../src/revision/text-column.ts';

const texts = fc.uniqueArray(
  fc.oneof(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.stringMatching(/^[ab]{0,6}$/)),
  { maxLength: 200 },
);

/** Columns are sorted by UTF-8 bytes. */
function sorted(list: readonly string[]): string[] {
  return list.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

function columnOf(list: readonly string[]): TextColumn {
  return new TextColumn(encodeTextColumn('texts', list), 'texts');
}

describe('for any texts', () => {
  test('a table finds every text at its index in the column, and no other text', () => {
    fc.assert(
      fc.property(texts, texts, (own, others) => {
        const list = sorted(own);
        const column = columnOf(list);
        const table = new TextTable(encodeTextTable('places', list), 'places', column);
        for (const text of [...list, ...others]) {
          expect(table.indexOf(text)).toBe(list.indexOf(text));
          expect(column.indexOf(text)).toBe(list.indexOf(text));
        }
      }),
    );
  });

  test('a column finds the texts that start with a prefix', () => {
    fc.assert(
      fc.property(texts, fc.stringMatching(/^[ab]{0,4}$/), (own, prefix) => {
        const list = sorted(own);
        const { first, end, exact } = columnOf(list).startingWith(prefix);
        expect(list.slice(first, end)).toEqual(list.filter((text) => text.startsWith(prefix)));
        expect(exact).toBe(list.includes(prefix));
      }),
    );
  });
});

test('a table of many texts finds them all', () => {
  const list = sorted(Array.from({ length: 20_000 }, (_, at) => `text ${at}`));
  const table = new TextTable(encodeTextTable('places', list), 'places', columnOf(list));
  expect(list.every((text, at) => table.indexOf(text) === at)).toBe(true);
  expect(table.indexOf('text 20000')).toBe(-1);
});
