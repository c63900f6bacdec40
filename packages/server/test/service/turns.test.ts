import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nextTurn, turnIsOver } from '../../src/process/turns.ts';

/** Works until the turn is over, as long work does between two questions. */
function workThroughTheTurn(): void {
  while (!turnIsOver());
}

test('a turn is not over when it begins, and is over after enough work', async () => {
  const justBegun = () => setImmediate().then(turnIsOver);
  await expect.poll(justBegun).toBe(false);
  workThroughTheTurn();
  expect(turnIsOver()).toBe(true);
});

test('timers still fire while long work runs in turns', async () => {
  let served = 0;
  const timer = setInterval(() => served++, 0);
  for (let step = 0; step < 10; step++) {
    workThroughTheTurn();
    await nextTurn();
  }
  clearInterval(timer);
  expect(served).toBeGreaterThanOrEqual(5);
});

test('waiting work resumes in the order in which it arrived, one after another', async () => {
  const order: string[] = [];
  const work = async (name: string) => {
    for (let step = 0; step < 3; step++) {
      await nextTurn();
      order.push(name);
      workThroughTheTurn();
    }
  };
  await Promise.all(['a', 'b', 'c'].map(work));
  expect(order).toEqual(['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c']);
});

test('each turn resumes only one waiter', async () => {
  let turn = 0;
  let counting = true;
  const count = () => {
    turn++;
    if (counting) globalThis.setImmediate(count);
  };
  globalThis.setImmediate(count);
  const turns: number[] = [];
  await Promise.all([1, 2, 3, 4].map(() => nextTurn().then(() => turns.push(turn))));
  counting = false;
  expect(new Set(turns).size).toBe(4);
});
