import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareUtf8, digestText, sortedByUtf8, utf8Length } from '../src/index.ts';

/** Many near the border where UTF-16 units and UTF-8 bytes disagree. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: fc.constantFrom('a', '\ue000', '\uffff', '\u{10000}', '\u{1f600}', 'é') }),
);

test('strings compare as their UTF-8 bytes do', () => {
  fc.assert(
    fc.property(text, text, (a, b) => {
      expect(Math.sign(compareUtf8(a, b))).toBe(Buffer.compare(Buffer.from(a), Buffer.from(b)));
    }),
  );
});

test('lists of strings sort by their UTF-8 bytes', () => {
  fc.assert(
    fc.property(fc.array(text), (list) => {
      const expected = list.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
      expect(sortedByUtf8(list)).toEqual(expected);
    }),
  );
});

test('the UTF-8 length of a string counts its bytes, including those of lone surrogates', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: 0xffff })), (units) => {
      const value = String.fromCharCode(...units);
      expect(utf8Length(value)).toBe(Buffer.byteLength(value));
    }),
  );
});

test('the digest text has a path line and a hash line per file, sorted by the bytes of the path', () => {
  const files = ['\u{10000}', '\uffff', 'b', 'a/z', 'a'].map((path, at) => ({ path, sha256: `${at}` }));
  expect(digestText(files)).toBe('a\n4\na/z\n3\nb\n2\n\uffff\n1\n\u{10000}\n0\n');
  expect(digestText(files.toReversed())).toBe(digestText(files));
});
