import { expect, test } from 'vitest';
import { enoughOf } from '../../src/adapters/workers/vector-scanners.ts';

const never = new Promise<string>(() => {});
const failing = () => Promise.reject(new Error('The worker ended.'));

test('a worker that is not needed is not waited for', async () => {
  const answers = [never, Promise.resolve('of the first')];
  await expect(enoughOf(answers, (count) => count === 1)).resolves.toEqual(['of the first']);
});

test('all workers are waited for where each is needed', async () => {
  const answers = [Promise.resolve('first'), Promise.resolve('second')];
  await expect(enoughOf(answers, () => false)).resolves.toEqual(['first', 'second']);
});

test('a worker that fails ends the scan, unless the others were enough', async () => {
  const late = new Promise<string>((_, reject) => setImmediate(() => reject(new Error('The worker ended.'))));
  await expect(enoughOf([failing(), never], () => false)).rejects.toThrow('The worker ended.');
  await expect(enoughOf([late, Promise.resolve('enough')], (count) => count === 1)).resolves.toEqual([
    'enough',
  ]);
  await expect(late).rejects.toThrow();
});

test('no workers have no answers', async () => {
  await expect(enoughOf([], () => false)).resolves.toEqual([]);
});
