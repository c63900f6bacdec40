import { expect, onTestFinished, test } from 'vitest';
import { TaskThread } from '../src/task-thread.ts';

function echoThread(): TaskThread {
  const entry = new URL('./echo-thread.ts', import.meta.url);
  const thread = new TaskThread({ entry, heapMegabytes: 64 });
  onTestFinished(() => thread.close());
  return thread;
}

test('each task of a thread gets its own answer', async () => {
  const thread = echoThread();
  const words = Array.from({ length: 200 }, (_, nth) => `word ${nth}`);
  expect(await Promise.all(words.map((say) => thread.run({ say })))).toEqual(words);
});

test('if a task crashes the thread, waiting tasks fail with its error and later ones as closed', async () => {
  const thread = echoThread();
  const before = thread.run({ say: 'before' });
  const failing = expect(thread.run({ fail: 'broken' })).rejects.toThrow('broken');
  const waiting = expect(thread.run({ say: 'never said' })).rejects.toThrow('broken');
  expect(await before).toBe('before');
  await Promise.all([failing, waiting]);
  await expect(thread.run({ say: 'late' })).rejects.toMatchObject({ reason: 'closed' });
});

test('an answer given before a task crashes the thread is not lost, even on a busy machine', async () => {
  const answers = Array.from({ length: 16 }, async () => {
    const thread = echoThread();
    const before = thread.run({ say: 'before' });
    await Promise.allSettled([thread.run({ fail: 'broken' })]);
    return before;
  });
  expect(await Promise.all(answers)).toEqual(answers.map(() => 'before'));
});

test('a task fails if the thread exits', async () => {
  const thread = echoThread();
  await expect(thread.run({ exit: 3 })).rejects.toMatchObject({ reason: 'closed' });
});

test('a waiting task fails if the thread is closed', async () => {
  const thread = echoThread();
  const waiting = expect(thread.run({ say: 'never heard' })).rejects.toMatchObject({ reason: 'closed' });
  await thread.close();
  await waiting;
});
