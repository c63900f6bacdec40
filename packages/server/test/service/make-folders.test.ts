import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { makeFolders } from '../../src/process/data-folder.ts';

describe('making a folder', () => {
  let root: string;
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'bindery-make-folders-'));
  });
  afterAll(() => rm(root, { recursive: true }));

  test('makes its parents too, all of them with its mode', async () => {
    await makeFolders(join(root, 'a/b/c'), 0o700);
    for (const path of ['a', 'a/b', 'a/b/c']) expect((await stat(join(root, path))).mode & 0o777).toBe(0o700);
  });

  test('accepts one that is there', async () => {
    await makeFolders(root, 0o700);
    await Promise.all([makeFolders(join(root, 'x/y'), 0o700), makeFolders(join(root, 'x/y'), 0o700)]);
  });

  test('fails at a file, and below one', async () => {
    await writeFile(join(root, 'file'), '');
    await expect(makeFolders(join(root, 'file'), 0o700)).rejects.toMatchObject({ code: 'EEXIST' });
    await expect(makeFolders(join(root, 'file/a/b'), 0o700)).rejects.toMatchObject({ code: 'ENOTDIR' });
  });

  test('fails where the system lets nobody make any, although the parent is there', async () => {
    await expect(makeFolders('/proc/bindery/data', 0o700)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
