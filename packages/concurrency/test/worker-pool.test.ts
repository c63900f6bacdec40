import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { WorkerFailure, WorkerPool, type WorkerPoolOptions } from '../src/index.ts';
import type { EchoTask } from './echo-worker.ts';

const pools: WorkerPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

function createPool(options: Partial<WorkerPoolOptions> = {}): WorkerPool {
  const pool = new WorkerPool({
    entry: new URL('./echo-worker.ts', import.meta.url),
    maxWorkers: 1,
    maxWaiting: 10,
    timeout: 60_000,
    idleTimeout: 60_000,
    heapMegabytes: 64,
    ...options,
  });
  pools.push(pool);
  return pool;
}

/** What a task answers, or why it has no answer. */
function outcome(pool: WorkerPool, task: EchoTask): Promise<unknown> {
  return pool
    .run(task)
    .catch((error) =>
      error instanceof WorkerFailure ? `failed: ${error.reason}` : `threw ${error.message}`,
    );
}

const echo = (text: string): EchoTask => ({ kind: 'echo', text });

/** A worker that runs `wait` stands until it is let on. */
function createGate() {
  const gate = new SharedArrayBuffer(8);
  const cells = new Int32Array(gate);
  const passed = async (count: number) => {
    while (Atomics.load(cells, 1) < count) await sleep(2);
  };
  const open = () => {
    Atomics.store(cells, 0, 1);
    Atomics.notify(cells, 0);
  };
  return { task: { kind: 'wait', gate } satisfies EchoTask, passed, open };
}

describe('an answer', () => {
  test('settles only its own task, even if the event loop was blocked past the time limit', async () => {
    const timeout = 1_000;
    const pool = createPool({ timeout });
    const wrong: string[] = [];
    for (let round = 0; round < 3; round++) {
      await outcome(pool, echo('warm'));
      const first = outcome(pool, echo('A'));
      const second = sleep(timeout + 1).then(() => outcome(pool, echo('B')));
      await new Promise(setImmediate);
      for (const end = performance.now() + timeout + 200; performance.now() < end; );
      const answers = [await first, await second];
      // Each may have come too late, but none is the other's.
      if (!['A', 'failed: time'].includes(String(answers[0]))) wrong.push(`A answered ${answers[0]}`);
      if (!['B', 'failed: time'].includes(String(answers[1]))) wrong.push(`B answered ${answers[1]}`);
    }
    expect(wrong).toEqual([]);
  });

  test('settles its own task, with many tasks on several workers', async () => {
    const pool = createPool({ maxWorkers: 3, maxWaiting: 1_000 });
    const texts = Array.from({ length: 300 }, (_, number) => `task ${number}`);
    expect(await Promise.all(texts.map((text) => outcome(pool, echo(text))))).toEqual(texts);
  });

  test('that a worker posts outside of its task is ignored', async () => {
    const pool = createPool();
    const answers = ['one', 'two', 'three'].map((text) => outcome(pool, { kind: 'echo twice', text }));
    expect(await Promise.all(answers)).toEqual(['one', 'two', 'three']);
  });

  test('that is an error carries its message', async () => {
    expect(await outcome(createPool(), { kind: 'fail', message: 'no such thing' })).toBe(
      'threw no such thing',
    );
  });
});

describe('a task that exceeds a limit', () => {
  test('of time fails alone, and the next task gets a new worker and its full time', async () => {
    const pool = createPool({ timeout: 3_000 });
    const stuck = createGate();
    const outcomes = [outcome(pool, stuck.task), outcome(pool, echo('next'))];
    expect(await Promise.all(outcomes)).toEqual(['failed: time', 'next']);
  });

  test('of processor time fails alone; time in which it waits does not count', async () => {
    const pool = createPool({ processorTime: 500 });
    const other = createGate();
    const waiting = outcome(pool, other.task);
    await other.passed(1);
    await sleep(1_500);
    other.open();
    expect(await waiting).toBe('let on');
    expect(await outcome(pool, { kind: 'spin' })).toBe('failed: time');
    expect(await outcome(pool, echo('next'))).toBe('next');
  });

  test('of memory fails alone, and the next task gets a new worker', async () => {
    const pool = createPool({ maxWorkers: 2 });
    const other = createGate();
    const waiting = outcome(pool, other.task);
    await other.passed(1);
    expect(await outcome(pool, { kind: 'exhaust memory' })).toBe('failed: memory');
    expect(await outcome(pool, echo('next'))).toBe('next');
    other.open();
    expect(await waiting).toBe('let on');
  });

  test('of the queue is refused at once, and earlier tasks run in order', async () => {
    const pool = createPool({ maxWaiting: 2 });
    const gate = createGate();
    const finished: string[] = [];
    const running = outcome(pool, gate.task);
    await gate.passed(1);
    const waiting = ['first', 'second'].map(async (text) =>
      finished.push(String(await outcome(pool, echo(text)))),
    );
    expect(await outcome(pool, echo('third'))).toBe('failed: full');
    gate.open();
    await Promise.all([running, ...waiting]);
    expect(finished).toEqual(['first', 'second']);
    expect(await outcome(pool, echo('fourth'))).toBe('fourth');
  });
});

describe('memory', () => {
  test('is transferred to the worker if the caller lists it for transfer', async () => {
    const bytes = Uint8Array.from([1, 2, 3]);
    const doubled = await createPool().run<Uint8Array>({ kind: 'double', bytes }, [bytes.buffer]);
    expect([...doubled]).toEqual([2, 4, 6]);
    expect(bytes.byteLength).toBe(0);
  });

  test('that is shared stays shared', async () => {
    const shared = new SharedArrayBuffer(3);
    expect(await createPool().run({ kind: 'fill', shared })).toBe(3);
    expect([...new Uint8Array(shared)]).toEqual([7, 7, 7]);
  });

  test('given to the pool as workerData reaches its workers', async () => {
    expect(await createPool({ workerData: { root: '/data' } }).run({ kind: 'worker data' })).toEqual({
      root: '/data',
    });
  });
});

test.each([
  { idleTimeout: 0, workers: 3 },
  { idleTimeout: 60_000, workers: 1 },
])(
  'three successive tasks take $workers worker(s) if idle ones are kept for $idleTimeout ms',
  async ({ idleTimeout, workers }) => {
    const pool = createPool({ idleTimeout });
    const threads = new Set<unknown>();
    for (let task = 0; task < 3; task++) {
      threads.add(await outcome(pool, { kind: 'thread' }));
      await new Promise((ended) => setTimeout(ended, 5));
    }
    expect(threads.size).toBe(workers);
  },
);

test('closing a pool fails running, waiting and later tasks', async () => {
  const pool = createPool();
  const gate = createGate();
  const running = outcome(pool, gate.task);
  await gate.passed(1);
  const waiting = outcome(pool, echo('waiting'));
  await pool.close();
  expect(await Promise.all([running, waiting, outcome(pool, echo('late'))])).toEqual(
    new Array(3).fill('failed: closed'),
  );
});

test('a program stays alive until the tasks that it waits for have run', async () => {
  const program = fileURLToPath(new URL('./waiting-program.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout).toBe('all tasks have run\n');
});
