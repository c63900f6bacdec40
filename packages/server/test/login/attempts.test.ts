import { expect, test } from 'vitest';
import { type AttemptLimit, countAttempt } from '../../src/limits/attempts.ts';
import { databases } from '../databases.ts';

const MINUTE = 60_000;
const DAY = 86_400_000;
const limit: AttemptLimit = { name: 'test', max: 2, windowSeconds: 60 };

test.each(databases)('$name: a clock that jumps ahead and back locks nobody out', async ({ open }) => {
  const { db, close } = await open();
  let now = 1_000 * DAY;
  const attempt = async () => (await countAttempt({ db, clock: () => now }, limit, 'ada')).granted;
  try {
    now += 10 * DAY;
    expect([await attempt(), await attempt(), await attempt()]).toEqual([true, true, false]);
    now -= 10 * DAY;
    expect([await attempt(), await attempt(), await attempt()]).toEqual([true, true, false]);
    now += MINUTE;
    expect(await attempt()).toBe(true);
  } finally {
    await close();
  }
});

test.each(databases)('$name: processes with slightly different clocks count together', async ({ open }) => {
  const { db, close } = await open();
  const at = (now: number) => countAttempt({ db, clock: () => now }, limit, 'ada');
  try {
    const granted: boolean[] = [];
    for (const now of [DAY + 5_000, DAY, DAY + 5_000, DAY]) granted.push((await at(now)).granted);
    expect(granted).toEqual([true, true, false, false]);
  } finally {
    await close();
  }
});
