import { expect, test } from 'vitest';
import { arrivingChunks, chunks, withTimeout } from '../src/index.ts';

test('items are split into arrays of a size, the last one smaller, and none of them empty', async () => {
  const arriving = async function* () {
    yield* [1, 2, 3];
  };
  expect([...chunks(new Set([1, 2, 3]), 2)]).toEqual([[1, 2], [3]]);
  expect([...chunks([1, 2], 2)]).toEqual([[1, 2]]);
  expect(await Array.fromAsync(arrivingChunks(arriving(), 2))).toEqual([[1, 2], [3]]);
  expect([...chunks([], 2)]).toEqual([]);
});

test('what comes too late is replaced by a value or an error, and a failure in time is thrown', async () => {
  const never = new Promise<string>(() => {});
  expect(await withTimeout(Promise.resolve('in time'), 60_000, () => 'late')).toBe('in time');
  expect(await withTimeout(never, 1, () => 'late')).toBe('late');
  const tooLate = () => {
    throw new Error('too late');
  };
  await expect(withTimeout(never, 1, tooLate)).rejects.toThrow('too late');
  await expect(withTimeout(Promise.reject(new Error('failed')), 60_000, tooLate)).rejects.toThrow('failed');
});
