import { expect, test } from 'vitest';
import { formatFiles, formatParts } from '../src/output/text.ts';

test.each([
  [[[1, 'added']], '1 asset added'],
  [
    [
      [2, 'added'],
      [1, 'changed'],
      [1_200, 'removed'],
    ],
    '2 assets added, 1 changed, 1,200 removed',
  ],
  [
    [
      [0, 'added'],
      [3, 'changed'],
    ],
    '3 assets changed',
  ],
  [[[0, 'added']], ''],
] as [[number, string][], string][])('the counts %j are summed up as "%s"', (parts, text) => {
  expect(formatParts('asset', parts)).toBe(text);
});

test('files are shown with their size', () => {
  expect(formatFiles({ files: 1, bytes: 5 })).toBe('1 file (5 B)');
  expect(formatFiles({ files: 1_200, bytes: 4 * 2 ** 20 })).toBe('1,200 files (4.0 MiB)');
});
