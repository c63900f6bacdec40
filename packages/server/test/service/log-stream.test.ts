import { execFile } from 'node:child_process';
import { mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { LogStream } from '../../src/service/log-stream.ts';

const LOG = JSON.stringify(new URL('../../src/service/log.ts', import.meta.url).href);

test('the last lines before a process exits are written', async () => {
  const program = `import { createLog } from ${LOG}; createLog({ logLevel: 'info' }).info('goodbye'); process.exit(0);`;
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', program]);
  expect(JSON.parse(stderr)).toMatchObject({ msg: 'goodbye' });
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
