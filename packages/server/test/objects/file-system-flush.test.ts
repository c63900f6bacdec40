import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { FileSystemFlush } from '../../src/adapters/objects/disk/file-system-flush.ts';
import { EXT4, TMPFS, XFS } from '../../src/adapters/objects/disk/file-systems.ts';
import { Layout } from '../../src/adapters/objects/disk/layout.ts';
import { type FlushAnswer, FlushCommand, isRunning } from './flush-command.ts';

const BTRFS = 0x9123683e;

let layout: Layout;
let command: FlushCommand;
let flush: FileSystemFlush | null = null;

beforeEach(async () => {
  layout = new Layout(fs.mkdtempSync(join(tmpdir(), 'bindery-flushed-')));
  for (const folder of layout.folders) fs.mkdirSync(folder, { recursive: true });
  command = new FlushCommand();
  await pretendFileSystem(BTRFS);
});

afterEach(async () => {
  await flush?.close();
  vi.unstubAllEnvs();
  vi.restoreAllMocks();
  command.remove();
  fs.rmSync(layout.root, { recursive: true });
});

async function start(timeout?: number): Promise<FileSystemFlush> {
  vi.stubEnv('PATH', command.path);
  flush = await FileSystemFlush.start(layout, timeout);
  if (flush === null) throw new Error('the flush did not start');
  return flush;
}

/** Makes the folder seem to be on another file system. */
async function pretendFileSystem(type: number): Promise<void> {
  const stats = await fs.promises.statfs(layout.root);
  vi.spyOn(fs.promises, 'statfs').mockImplementation(async () => Object.assign(stats, { type }));
}

/** Lets ext4 have counted as many errors at each look as `counts` says, the last of them from then on. */
function countErrors(...counts: number[]): void {
  const { readFile, readlink } = fs.promises;
  const device = 'devices/bindery0';
  vi.spyOn(fs.promises, 'readlink').mockImplementation((async (path: string) =>
    path.startsWith('/sys/') ? device : readlink(path)) as typeof readlink);
  vi.spyOn(fs.promises, 'readFile').mockImplementation((async (path: string, encoding: 'utf8') =>
    path === '/sys/fs/ext4/bindery0/errors_count'
      ? `${counts.length > 1 ? counts.shift() : counts[0]}\n`
      : readFile(path, encoding)) as typeof readFile);
}

test('the real Perl flushes a file system, even once all processes of the service were asked to stop', async () => {
  command.passOn();
  const run = flushOf(await start());
  await run();
  for (const pid of command.processes) process.kill(pid, 'SIGTERM');
  await Promise.all([run(), run()]);
  expect(flush?.works).toBe(true);
});

test('one process answers all flushes', async () => {
  const run = flushOf(await start());
  await run();
  await Promise.all([run(), run()]);
  expect(command.flushes).toBe(3);
  expect(command.processes).toHaveLength(1);
});

const FAILURES: [string, FlushAnswer, string][] = [
  ['reports lost writes', 5, 'EIO'],
  ['reports a full disk', 28, 'ENOSPC'],
  ['ends', 'ends', 'unavailable'],
  ['does not answer in time', 'hangs', 'unavailable'],
];

test.each(FAILURES)('if the command %s, this and all later flushes fail', async (_, answer, code) => {
  command.answer(0, answer);
  const run = flushOf(await start(answer === 'hangs' ? 500 : undefined));
  await run();
  const outcomes = await Promise.allSettled([run(), run()]);
  for (const outcome of outcomes) expect(outcome).toMatchObject({ status: 'rejected', reason: { code } });
  await expect(run()).rejects.toMatchObject({ code });
  expect(flush?.works).toBe(false);
  await expect.poll(() => command.processes.some(isRunning)).toBe(false);
});

test('closing ends the process, also during a flush', async () => {
  command.answer('hangs');
  const run = flushOf(await start());
  const waiting = run();
  await expect.poll(() => command.flushes).toBe(1);
  expect(command.processes.map(isRunning)).toEqual([true]);
  const closed = flush?.close();
  await expect(waiting).rejects.toMatchObject({ code: 'unavailable' });
  await closed;
  expect(command.processes.map(isRunning)).toEqual([false]);
});

test('a killed process is noticed before the next flush', async () => {
  await start();
  for (const pid of command.processes) process.kill(pid, 'SIGKILL');
  await expect.poll(() => flush?.works).toBe(false);
});

test('nothing is flushed as a whole where there is no Perl', async () => {
  vi.stubEnv('PATH', layout.root);
  expect(await FileSystemFlush.start(layout)).toBeNull();
});

test('no process is started for a file system in memory', async () => {
  await pretendFileSystem(TMPFS);
  vi.stubEnv('PATH', command.path);
  expect(await FileSystemFlush.start(layout)).toBeNull();
  expect(command.processes).toEqual([]);
});

test.each([
  ['XFS', XFS, true],
  ['ext4 whose errors cannot be read', EXT4, false],
  ['Btrfs', BTRFS, false],
])('on %s, whether a flush proves anything: %s %s', async (_, type, isProof) => {
  await pretendFileSystem(type);
  expect((await start()).isProof).toBe(isProof);
});

test('a flush fails if ext4 has counted an error since the start', async () => {
  await pretendFileSystem(EXT4);
  countErrors(3, 3, 4);
  const run = flushOf(await start());
  expect(flush?.isProof).toBe(true);
  await run();
  await expect(run()).rejects.toMatchObject({ code: 'EIO' });
  expect(flush?.works).toBe(false);
});

test('a flush fails if the file system no longer syncs a folder', async () => {
  await pretendFileSystem(XFS);
  const run = flushOf(await start());
  vi.spyOn(fs, 'fsync').mockImplementation((_, done) => {
    setImmediate(() => done(Object.assign(new Error('EROFS'), { code: 'EROFS' })));
  });
  await expect(run()).rejects.toMatchObject({ code: 'EROFS' });
  expect(flush?.works).toBe(false);
});

function flushOf(started: FileSystemFlush): () => Promise<void> {
  return () => started.flush();
}
