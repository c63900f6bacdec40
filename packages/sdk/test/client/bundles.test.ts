import { BUNDLE } from '@bindery/contract';
import { expect, test } from 'vitest';
import { groupIntoBundles } from '../../src/client/bundles.ts';

const filesOf = (count: number, size: number) => Array.from({ length: count }, () => ({ size }));
const lengths = (bundles: unknown[][]) => bundles.map(({ length }) => length);

test('a transfer of a few files fills bundles of 64', () => {
  expect(lengths(groupIntoBundles(filesOf(130, 100)))).toEqual([64, 64, 2]);
});

test('a transfer of thousands of files takes 24 bundles, of up to the 256 files that the service accepts', () => {
  expect(groupIntoBundles(filesOf(4_800, 100))).toHaveLength(24);
  const largest = Math.max(...lengths(groupIntoBundles(filesOf(10_000, 100))));
  expect(largest).toBe(BUNDLE.urls);
});

test('a share of a large transfer is divided as the whole would be', () => {
  expect(lengths(groupIntoBundles(filesOf(1_000, 100), 4_800))).toEqual([200, 200, 200, 200, 200]);
});

test('a bundle has at most 4 MiB, and no file that is too large for bundles', () => {
  const bundles = groupIntoBundles([...filesOf(100, BUNDLE.fileBytes), ...filesOf(3, BUNDLE.fileBytes + 1)]);
  expect(lengths(bundles)).toEqual([16, 16, 16, 16, 16, 16, 4]);
});
