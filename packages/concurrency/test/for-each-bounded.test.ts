import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { forEachBounded } from '../src/index.ts';

const NUMBERS = Array.from({ length: 20 }, (_, number) => number);

test('starts every item in order, with at most the given number running at a time', async () => {
  const started: number[] = [];
  let running = 0;
  let most = 0;
  await forEachBounded(NUMBERS, { concurrency: 3 }, async (number) => {
    started.push(number);
    most = Math.max(most, ++running);
    await turn();
    running--;
  });
  expect(started).toEqual(NUMBERS);
  expect(most).toBe(3);
});

describe('a failure', () => {
  test('starts no more items, aborts the running ones, and is thrown once they have finished', async () => {
    const events: string[] = [];
    const { promise: told, resolve: tell } = Promise.withResolvers<void>();
    const whole = forEachBounded(NUMBERS, { concurrency: 2 }, async (number, signal) => {
      if (number === 1) throw new Error('one');
      signal.addEventListener('abort', () => tell());
      await told;
      await turn();
      events.push(`ended ${number}`);
    });
    await expect(whole).rejects.toThrow('one');
    expect(events).toEqual(['ended 0']);
  });

  test('of the iterator closes it, aborts the running items, and is thrown once they have finished', async () => {
    const events: string[] = [];
    async function* items() {
      try {
        yield 'first';
        throw new Error('no more');
      } finally {
        events.push('closed');
      }
    }
    const whole = forEachBounded(items(), { concurrency: 2 }, async (item, signal) => {
      while (!signal.aborted) await turn();
      events.push(`ended ${item}`);
    });
    await expect(whole).rejects.toThrow('no more');
    expect(events).toEqual(['closed', 'ended first']);
  });
});

test('an aborted signal rejects with its reason once all running items have finished', async () => {
  const controller = new AbortController();
  const ended: number[] = [];
  const whole = forEachBounded(
    NUMBERS,
    { concurrency: 2, signal: controller.signal },
    async (number, signal) => {
      if (number === 1) controller.abort(new Error('enough'));
      while (!signal.aborted) await turn();
      ended.push(number);
    },
  );
  await expect(whole).rejects.toThrow('enough');
  expect(ended.sort()).toEqual([0, 1]);
});
