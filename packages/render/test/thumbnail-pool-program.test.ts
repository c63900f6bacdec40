import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const index = new URL('../src/index.ts', import.meta.url).href;

async function run(program: string): Promise<string> {
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program]);
  return stdout.trim();
}

const DRAW = `
  import { createThumbnailPool, memoryFiles } from ${JSON.stringify(index)};
  const pool = createThumbnailPool({ workers: 2, timeoutMs: 20_000, memoryMiB: 700 });
  const files = memoryFiles(new Map([['a.obj', Buffer.from('v 0 0 0\\nv 1 0 0\\nv 0 1 1\\nf 1 2 3\\n')]]));
  const thumbnail = await pool.render({ kind: 'mesh', entry: 'a.obj', files });
  console.log(Object.keys(thumbnail)[0]);`;

test('a program can close its pool and continue', async () => {
  expect(await run(`${DRAW}\nawait pool.close();\nconsole.log('closed');`)).toBe('webp\nclosed');
});

test('a program that does not close its pool still exits', async () => {
  expect(await run(DRAW)).toBe('webp');
});
