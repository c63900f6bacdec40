import { expect, test } from 'vitest';
import { BoundedQueue, WorkerFailure } from '../src/index.ts';

function createTask(name: string) {
  const { promise, resolve } = Promise.withResolvers<void>();
  const task = {
    isStarted: false,
    end: resolve,
    run: () => {
      task.isStarted = true;
      return promise.then(() => name);
    },
  };
  return task;
}

const reasonOf = (error: unknown) => (error instanceof WorkerFailure ? error.reason : error);

test('a queue runs tasks up to its concurrency, lets a limited number wait in order, and refuses more', async () => {
  const queue = new BoundedQueue({ concurrency: 1, maxWaiting: 2 });
  const tasks = ['a', 'b', 'c'].map(createTask);
  const results = tasks.map((task) => queue.run(task.run));
  expect(tasks.map(({ isStarted }) => isStarted)).toEqual([true, false, false]);
  expect(await queue.run(async () => 'd').catch(reasonOf)).toBe('full');
  tasks[0]?.end();
  expect(await results[0]).toBe('a');
  expect(tasks.map(({ isStarted }) => isStarted)).toEqual([true, true, false]);
  for (const task of tasks) task.end();
  expect(await Promise.all(results)).toEqual(['a', 'b', 'c']);
  expect(await queue.run(async () => 'e')).toBe('e');
});

test('an aborted signal removes a waiting task and frees its place, but lets a running task finish', async () => {
  const queue = new BoundedQueue({ concurrency: 1, maxWaiting: 1 });
  const running = createTask('running');
  const waiting = createTask('waiting');
  const controller = new AbortController();
  const first = queue.run(running.run, controller.signal);
  const second = queue.run(waiting.run, controller.signal).catch((error) => error);
  controller.abort('given up');
  expect(await second).toBe('given up');
  const third = queue.run(async () => 'third');
  running.end();
  expect(await first).toBe('running');
  expect(await third).toBe('third');
  expect(waiting.isStarted).toBe(false);
  expect(await queue.run(async () => 'late', controller.signal).catch((error) => error)).toBe('given up');
});

test('a closed queue refuses waiting and later tasks, and lets running ones finish', async () => {
  const queue = new BoundedQueue({ concurrency: 1, maxWaiting: 5 });
  const running = createTask('running');
  const first = queue.run(running.run);
  const second = queue.run(async () => 'second').catch(reasonOf);
  queue.close();
  expect(await second).toBe('closed');
  expect(await queue.run(async () => 'third').catch(reasonOf)).toBe('closed');
  running.end();
  expect(await first).toBe('running');
});
