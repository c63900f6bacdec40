import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileSystemFlush } from '../../src/adapters/objects/disk/file-system-flush.ts';

let folder: string;
let flush: FileSystemFlush;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'bindery-flush-'));
  const command = join(folder, 'sync');
  writeFileSync(command, `#!/bin/sh\necho "$PPID $*" >> "${folder}/calls"\n`);
  chmodSync(command, 0o755);
  vi.stubEnv('PATH', folder + delimiter + process.env.PATH);
  flush = new FileSystemFlush(folder);
});

afterEach(() => {
  flush.close();
  vi.unstubAllEnvs();
  rmSync(folder, { recursive: true });
});

function calls(): { shell: number; words: string }[] {
  const lines = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return lines.map((line) => {
    const [shell = '', ...words] = line.split(' ');
    return { shell: Number(shell), words: words.join(' ') };
  });
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

test('each flush syncs the file system of the folder, all in the same shell', async () => {
  await flush.flush();
  expect(calls().map(({ words }) => words)).toEqual([`-f -- ${folder}`]);
  await Promise.all([flush.flush(), flush.flush()]);
  expect(calls()).toHaveLength(3);
  expect(new Set(calls().map(({ shell }) => shell)).size).toBe(1);
});

test('a killed shell does not block flushes', async () => {
  await flush.flush();
  const [{ shell } = { shell: 0 }] = calls();
  process.kill(shell, 'SIGKILL');
  await Promise.all([flush.flush(), flush.flush()]);
  await expect.poll(() => isRunning(shell)).toBe(false);
  await flush.flush();
  expect(calls()).toHaveLength(1);
});

test('closing the flush terminates its shell', async () => {
  await flush.flush();
  const [{ shell } = { shell: 0 }] = calls();
  expect(isRunning(shell)).toBe(true);
  flush.close();
  await expect.poll(() => isRunning(shell)).toBe(false);
});
