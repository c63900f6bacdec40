import { execFile } from 'node:child_process';
import fs from 'node:fs';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LogStream } from '../../src/process/log.ts';

const LOG = JSON.stringify(new URL('../../src/process/log.ts', import.meta.url).href);

test('the last lines before a process exits are written', async () => {
  const program = `import { createLog } from ${LOG}; createLog({ logLevel: 'info' }).info('goodbye'); process.exit(0);`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(JSON.parse(stderr)).toMatchObject({ msg: 'goodbye' });
});

test('a line that the reader has taken half of is finished before the others as the process exits', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-log-'));
  const { write } = fs;
  const listeners = process.listeners('exit');
  try {
    await using file = await open(join(folder, 'log'), 'w');
    const { promise: isBehind, resolve } = Promise.withResolvers<void>();
    let calls = 0;
    fs.write = ((fd: number, bytes: Buffer, done: (error: Error | null, written: number) => void) => {
      if (calls++ === 0) return done(null, fs.writeSync(fd, bytes.subarray(0, 3)));
      done(Object.assign(new Error('the pipe is full'), { code: 'EAGAIN' }), 0);
      resolve();
    }) as typeof fs.write;
    const stream = new LogStream(file.fd);
    stream.write('first\n');
    await isBehind;
    await new Promise(setImmediate);
    stream.write('second\n');
    const [finish] = process.listeners('exit').filter((listener) => !listeners.includes(listener));
    finish?.(0);
    expect(await readFile(join(folder, 'log'), 'utf8')).toBe('first\nsecond\n');
    fs.write = write;
    await new Promise<void>((done) => stream.flush(done));
  } finally {
    fs.write = write;
    await rm(folder, { recursive: true, force: true });
  }
});

test('logs that have written their lines leave nothing behind in the process', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'bindery-log-'));
  const before = process.listenerCount('exit');
  try {
    await using file = await open(join(folder, 'log'), 'w');
    for (const line of ['one\n', 'two\n', 'three\n']) {
      const stream = new LogStream(file.fd);
      stream.write(line);
      await new Promise<void>((resolve) => stream.flush(resolve));
    }
    expect(await readFile(join(folder, 'log'), 'utf8')).toBe('one\ntwo\nthree\n');
    expect(process.listenerCount('exit')).toBe(before);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
