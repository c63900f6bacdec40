import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants, openSync } from 'node:fs';
import { mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';

const PROGRAM = fileURLToPath(new URL('./log-faults-program.ts', import.meta.url));

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-log-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

function run(stderr: 'pipe' | number, patience = 1): ChildProcess {
  const stdio: StdioOptions = ['ignore', 'pipe', stderr];
  return spawn(process.execPath, [PROGRAM, String(patience)], { stdio });
}

async function outcome(child: ChildProcess) {
  const [stdout, [code, signal]] = await Promise.all([text(child.stdout!), once(child, 'exit')]);
  return { stdout, code, signal };
}

const ALIVE = { stdout: 'alive\n', code: 0, signal: null };

test('a log on a full disk neither stops nor blocks the process', async () => {
  await using full = await open('/dev/full', 'w');
  expect(await outcome(run(full.fd))).toEqual(ALIVE);
});

test('a log whose reader has closed neither stops nor blocks the process', async () => {
  const child = run('pipe');
  child.stderr?.destroy();
  expect(await outcome(child)).toEqual(ALIVE);
});

test('a log that nobody reads neither stops nor blocks the process', async () => {
  const pipe = join(folder, 'pipe');
  execFileSync('mkfifo', [pipe]);
  const reader = openSync(pipe, constants.O_RDONLY | constants.O_NONBLOCK);
  await using unread = await open(pipe, 'w');
  expect(reader).toBeGreaterThan(0);
  expect(await outcome(run(unread.fd))).toEqual(ALIVE);
});

test('log lines arrive complete and in order, and the number of lost lines is logged', async () => {
  const child = run('pipe', 100);
  const [log] = await Promise.all([text(child.stderr!), outcome(child)]);
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { line?: number; msg: string; lost?: number });
  const numbers = lines.flatMap(({ line }) => (line === undefined ? [] : [line]));
  const lost = lines.reduce((sum, line) => sum + (line.lost ?? 0), 0);
  expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
  expect(numbers.length + lost).toBeGreaterThanOrEqual(20_000);
  expect(lines.at(-1)).toMatchObject({ level: 'error', msg: 'failed' });
});
