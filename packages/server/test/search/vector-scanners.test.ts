import { expect, test } from 'vitest';
import { resolveWhenEnough } from '../../src/adapters/workers/vector-scanners.ts';

const never = new Promise<string>(() => {});
const failing = () => Promise.reject(new Error('The worker ended.'));

test('a scan does not wait for a worker that it does not need', async () => {
  const answers = [never, Promise.resolve('of the first')];
  await expect(resolveWhenEnough(answers, (count) => count === 1)).resolves.toEqual(['of the first']);
});

test('a scan waits for all workers if each is needed', async () => {
  const answers = [Promise.resolve('first'), Promise.resolve('second')];
  await expect(resolveWhenEnough(answers, () => false)).resolves.toEqual(['first', 'second']);
});

test('a worker that fails makes the scan fail, unless the others were enough', async () => {
  const late = new Promise<string>((_, reject) => setImmediate(() => reject(new Error('The worker ended.'))));
  await expect(resolveWhenEnough([failing(), never], () => false)).rejects.toThrow('The worker ended.');
  await expect(resolveWhenEnough([late, Promise.resolve('enough')], (count) => count === 1)).resolves.toEqual(
    ['enough'],
  );
  await expect(late).rejects.toThrow();
});

test('a scan without workers returns no results', async () => {
  await expect(resolveWhenEnough([], () => false)).resolves.toEqual([]);
});
