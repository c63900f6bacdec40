import { expect, test } from 'vitest';
import { formatNumber, sanitizeLine } from '../src/output/text.ts';

test('formatNumber separates thousands with commas', () => {
  for (const integer of [
    0,
    7,
    999,
    1_000,
    65_536,
    999_999,
    1_000_000,
    12_345_678,
    Number.MAX_SAFE_INTEGER,
    -1_234,
  ]) {
    expect(formatNumber(integer)).toBe(integer.toLocaleString('en-US'));
  }
});

test('a line by others neither controls the terminal nor reorders what is on it', () => {
  expect(sanitizeLine('a\u001b[31mred\u202egnp.exe\u2066\nnext\u009b2J end')).toBe('aredgnp.exe next end');
});
