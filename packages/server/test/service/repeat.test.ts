import pino from 'pino';
import { expect, test } from 'vitest';
import { repeat } from '../../src/process/repeat.ts';

const log = pino({ level: 'silent' });

test('repeated work continues after a failure, never overlaps itself, and has ended when stop resolves', async () => {
  const events: string[] = [];
  const chore = repeat({ every: 2, name: 'work', log }, async () => {
    events.push('begin');
    await new Promise((resolve) => setTimeout(resolve, 5));
    events.push('end');
    throw new Error('each time');
  });
  await expect.poll(() => events.length).toBeGreaterThan(5);
  await chore.stop();
  const stopped = [...events];
  expect(stopped).toEqual(stopped.map((_, at) => (at % 2 === 0 ? 'begin' : 'end')));
  expect(stopped.length % 2).toBe(0);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(events).toEqual(stopped);
});
