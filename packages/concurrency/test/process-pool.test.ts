import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterEach, describe, expect, test } from 'vitest';
import { ProcessExitedError, ProcessPool, type ProcessPoolOptions, WorkerFailure } from '../src/index.ts';
import type { AskingTask } from './asking-process.ts';

const pools: ProcessPool[] = [];
afterEach(() => Promise.all(pools.splice(0).map((pool) => pool.close())));

function createPool(options: Partial<ProcessPoolOptions> = {}): ProcessPool {
  const pool = new ProcessPool({
    entry: new URL('./asking-process.ts', import.meta.url),
    maxProcesses: 1,
    maxWaiting: 10,
    timeout: 60_000,
    ...options,
  });
  pools.push(pool);
  return pool;
}

function outcome(
  pool: ProcessPool,
  value: AskingTask,
  answer?: (question: string) => Promise<unknown>,
): Promise<unknown> {
  return pool.run({ value, answer }).catch((error) => {
    if (error instanceof WorkerFailure) return `failed: ${error.reason}`;
    return error instanceof ProcessExitedError ? 'ended' : `threw ${error.message.split('\n')[0]}`;
  });
}

test('a process gets the variables that its caller gives it, and no secrets of this program', async () => {
  const secrets = [
    'BINDERY_S3_SECRET_KEY',
    'BINDERY_TOKEN',
    'AWS_ACCESS_KEY_ID',
    'NODE_AUTH_TOKEN',
    'PGPASSWORD',
  ];
  for (const name of secrets) process.env[name] = 'secret';
  try {
    const names = await outcome(createPool({ env: { GIVEN: 'yes' } }), { kind: 'environment' });
    expect(names).toEqual(expect.arrayContaining(['PATH', 'GIVEN']));
    expect(secrets.filter((name) => (names as string[]).includes(name))).toEqual([]);
  } finally {
    for (const name of secrets) delete process.env[name];
  }
});

const echo = (text: string): AskingTask => ({ kind: 'echo', text });

describe('an answer', () => {
  test('settles its own task, with many tasks on several processes', async () => {
    const pool = createPool({ maxProcesses: 2, maxWaiting: 100 });
    const texts = Array.from({ length: 40 }, (_, number) => `task ${number}`);
    expect(await Promise.all(texts.map((text) => outcome(pool, echo(text))))).toEqual(texts);
  });

  test('that names another task is ignored', async () => {
    const pool = createPool();
    // Of the task before, and of the one that comes next.
    for (const task of [-1, 2]) expect(await outcome(pool, { kind: 'answer for another', task })).toBe('own');
    expect(await outcome(pool, echo('next'))).toBe('next');
  });

  test('that is an error carries its message', async () => {
    expect(await outcome(createPool(), { kind: 'fail', message: 'no such thing' })).toBe(
      'threw Error: no such thing',
    );
  });
});

describe('a question asked by a task', () => {
  test('is answered by the caller that submitted the task', async () => {
    const pool = createPool();
    const answers = ['one', 'two'].map((name) =>
      outcome(pool, { kind: 'ask', question: 'who?' }, async (question) => `${question} ${name}`),
    );
    expect(await Promise.all(answers)).toEqual(['who? one', 'who? two']);
  });

  test('fails the task if the caller cannot answer', async () => {
    const refuse = async () => {
      throw new Error('the disk is gone');
    };
    expect(await outcome(createPool(), { kind: 'ask', question: 'who?' }, refuse)).toBe(
      'threw Error: the disk is gone',
    );
  });

  test('answered after that task ended does not answer the same question of the next task', async () => {
    const pool = createPool();
    const { promise: late, resolve: arrive } = Promise.withResolvers<string>();
    expect(await outcome(pool, { kind: 'ask and leave', question: 'who?' }, () => late)).toBe('left');
    const next = outcome(pool, { kind: 'ask', question: 'who?' }, async () => {
      arrive('the one before');
      await late;
      return 'the next';
    });
    expect(await next).toBe('the next');
  });
});

describe('a task that breaks its process', () => {
  test('by exceeding the time limit fails alone, and the next task gets a new process', async () => {
    const pool = createPool({ timeout: 4_000 });
    const outcomes = [outcome(pool, { kind: 'spin' }), outcome(pool, echo('next'))];
    expect(await Promise.all(outcomes)).toEqual(['failed: time', 'next']);
  });

  test('by exceeding the time limit after loading fails alone', async () => {
    const pool = createPool({ timeout: 500, loadTimeout: 60_000 });
    expect(await outcome(pool, { kind: 'load, then spin' })).toBe('failed: time');
    expect(await outcome(pool, echo('next'))).toBe('next');
  });

  test('by exiting fails alone, and the next task gets a new process', async () => {
    const pool = createPool();
    const outcomes = [outcome(pool, { kind: 'die' }), outcome(pool, echo('next'))];
    expect(await Promise.all(outcomes)).toEqual(['ended', 'next']);
  });
});

test('a process is started with the settings of its pool', async () => {
  const settings = { folder: '/models', rows: Float32Array.of(1, 2) };
  expect(await outcome(createPool({ settings }), { kind: 'settings' })).toEqual(settings);
});

test('a task beyond the number that can wait is refused at once', async () => {
  const pool = createPool({ maxWaiting: 1 });
  const { promise: answered, resolve: answer } = Promise.withResolvers<string>();
  const asked = Promise.withResolvers<void>();
  const running = outcome(pool, { kind: 'ask', question: 'who?' }, () => {
    asked.resolve();
    return answered;
  });
  await asked.promise;
  const waiting = outcome(pool, echo('waiting'));
  expect(await outcome(pool, echo('too many'))).toBe('failed: full');
  answer('me');
  expect(await Promise.all([running, waiting])).toEqual(['me', 'waiting']);
});

test('closing a pool fails running, waiting and later tasks', async () => {
  const pool = createPool();
  const asked = Promise.withResolvers<void>();
  const running = outcome(pool, { kind: 'ask', question: 'who?' }, () => {
    asked.resolve();
    return new Promise(() => {});
  });
  await asked.promise;
  const waiting = outcome(pool, echo('waiting'));
  await pool.close();
  expect(await Promise.all([running, waiting, outcome(pool, echo('late'))])).toEqual(
    new Array(3).fill('failed: closed'),
  );
});

test('a program stays alive until the pool that it closes is closed', async () => {
  const program = fileURLToPath(new URL('./closing-program.ts', import.meta.url));
  const { stdout } = await promisify(execFile)(process.execPath, [program]);
  expect(stdout).toMatch(/^closed; the task failed: /);
});
