import { cp, mkdir, readdir, readFile, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createAuthor } from './author.ts';
import { bindery, type CommandResult, type RunningService, serve, temporaryFolder } from './bindery.ts';

let home: string;
let data: string;
let service: RunningService | null = null;
/** A data folder with Ada's account that no service has used yet, and her token. */
let template: string;
let token = '';

beforeAll(async () => {
  template = home = await temporaryFolder();
  data = join(template, 'data');
  token = await createAuthor({ dataDir: data });
});
afterAll(() => rm(template, { recursive: true, force: true }));
beforeEach(async () => {
  home = await temporaryFolder();
  data = join(home, 'data');
});
afterEach(async () => {
  await service?.dispose();
  service = null;
  await rm(home, { recursive: true, force: true });
});

const path = (...names: string[]) => join(home, ...names);

/** Runs a command as Ada, and expects it to succeed. */
async function done(...words: string[]): Promise<CommandResult> {
  const ended = await run(...words);
  expect(ended, words.join(' ')).toMatchObject({ exitCode: 0 });
  return ended;
}

async function run(...words: string[]): Promise<CommandResult> {
  return bindery(words, {
    env: {
      BINDERY_CONFIG_DIR: path('config'),
      XDG_CACHE_HOME: path('cache'),
      XDG_STATE_HOME: path('state'),
      BINDERY_DATA_DIR: data,
      BINDERY_TOKEN: token,
      BINDERY_API_URL: service?.url ?? '',
    },
  });
}

/** Starts the service; again on the same port if it has run before, as an operator does. */
async function start(): Promise<void> {
  const port = service ? new URL(service.url).port : '0';
  service = await serve({ dataDir: data, port });
}

async function startWithAda(): Promise<void> {
  await cp(join(template, 'data'), data, { recursive: true });
  await start();
}

async function publish(name: string, files: Record<string, string>, ...options: string[]): Promise<void> {
  const folder = path('authored', name);
  await rm(folder, { recursive: true, force: true });
  for (const [file, text] of Object.entries(files)) {
    await mkdir(join(folder, file, '..'), { recursive: true });
    await writeFile(join(folder, file), text);
  }
  await done('library', 'push', folder, `ada/${name}`, '--force', ...options);
}

describe('backup and restore', () => {
  test('a backup of a running service restores every library, with revision numbers not used before', async () => {
    await startWithAda();
    await publish('mugs', { 'mug/mug.txt': 'a mug', 'cup/cup.txt': 'a cup' });
    await publish('plates', { 'plate/plate.obj': 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n' }, '--thumbnails');
    await done('library', 'delete', 'ada/plates', '--yes');
    const first = await done('admin', 'backup', path('backup'), '--json');
    expect(JSON.parse(first.stdout)).toMatchObject({ libraries: 2, lost: [] });

    await publish('mugs', { 'mug/mug.txt': 'a better mug' });
    const second = JSON.parse((await done('admin', 'backup', path('backup'), '--json')).stdout);
    expect(second.copied).toBeLessThan(second.objects);

    await publish('mugs', { 'mug/mug.txt': 'lost with the disk' });
    await done('library', 'pull', 'ada/mugs', '-o', path('copy'));
    await service?.end();
    await rm(data, { recursive: true });
    const verified = await done('admin', 'restore', path('backup'), '--verify', '--json');
    expect(JSON.parse(verified.stdout)).toMatchObject({ verified: true, libraries: 2, lost: [] });
    await done('admin', 'restore', path('backup'));
    await start();

    expect(await run('library', 'stat', 'ada/mugs', '-o', path('copy'))).toMatchObject({
      exitCode: 1,
      stdout: expect.stringMatching(/^stale/),
    });
    await done('library', 'pull', 'ada/mugs', '-o', path('copy'));
    expect(await readFile(path('copy', 'mug', 'mug.txt'), 'utf8')).toBe('a better mug');
    const detail = JSON.parse((await done('library', 'info', 'ada/mugs', '--json')).stdout);
    expect(detail.revision).toBe(1_000_002);
    await done('library', 'restore', 'ada/plates');
    await done('library', 'pull', 'ada/plates', '-o', path('plates'));
    await done('admin', 'fsck', '--read-data');
  });

  test('a backup is accessible only to its owner', async () => {
    await startWithAda();
    await publish('mugs', { 'mug/mug.txt': 'a mug' });
    await done('admin', 'backup', path('backup'));
    const entries = await readdir(path('backup'), { recursive: true, withFileTypes: true });
    const modes = await Promise.all(
      entries.map(async (entry) => (await stat(join(entry.parentPath, entry.name))).mode & 0o077),
    );
    expect(entries.length).toBeGreaterThan(5);
    expect(new Set([...modes, (await stat(path('backup'))).mode & 0o077])).toEqual(new Set([0]));
  });

  test('backup and restore report a damaged file, and other files can still be restored', async () => {
    await startWithAda();
    await publish('mugs', { 'mug/mug.txt': 'a mug', 'cup/cup.txt': 'a cup' });
    const objects = await filesBelow(join(data, 'objects', 'objects'));
    const sizes = await Promise.all(objects.map(async (file) => (await readFile(file, 'utf8')) === 'a mug'));
    const mug = objects[sizes.indexOf(true)] ?? '';
    await writeFile(mug, 'a mus');
    const ended = await run('admin', 'backup', path('backup'));
    expect(ended).toMatchObject({ exitCode: 7, stderr: expect.stringMatching(/ada\/mugs: .* is damaged/) });

    await service?.end();
    data = path('elsewhere');
    expect((await run('admin', 'restore', path('backup'))).exitCode).toBe(7);
    await start();
    await done('library', 'pull', 'ada/mugs', '--asset', 'cup', '-o', path('copy'));
  });

  test('a restore is refused over a running service, over existing data and from an incomplete backup', async () => {
    await startWithAda();
    await publish('mugs', { 'mug/mug.txt': 'a mug' });
    await done('admin', 'backup', path('backup'));
    expect(await run('admin', 'restore', path('backup'))).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('is already using the data folder'),
    });
    await service?.end();
    expect(await run('admin', 'restore', path('backup'))).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('already'),
    });
    data = path('elsewhere');
    await rm(path('backup', 'backup.json'));
    expect(await run('admin', 'restore', path('backup'))).toMatchObject({
      exitCode: 3,
      stderr: expect.stringContaining('no complete backup'),
    });
    expect(await run('admin', 'backup', home)).toMatchObject({ exitCode: 3 });
  });
});

describe('starting', () => {
  test('with a data folder copied back by hand, a pulled copy is stale even if revision numbers repeat', async () => {
    await startWithAda();
    await publish('mugs', { 'mug/mug.txt': 'first' });
    await service?.end();
    await cp(data, path('kept'), { recursive: true });
    await start();
    await publish('mugs', { 'mug/mug.txt': 'second' });
    await done('library', 'pull', 'ada/mugs', '-o', path('copy'));
    await service?.end();
    await rm(data, { recursive: true });
    await cp(path('kept'), data, { recursive: true });
    await start();
    await publish('mugs', { 'mug/mug.txt': 'third' });
    expect((await run('library', 'stat', 'ada/mugs', '-o', path('copy'))).exitCode).toBe(1);
  });

  test('fails with a message if the database is missing while its objects exist', async () => {
    await startWithAda();
    await publish('mugs', { 'mug/mug.txt': 'a mug' });
    await service?.end();
    for (const name of await readdir(data)) {
      if (name.startsWith('bindery.db')) await rm(join(data, name));
    }
    await expect(serve({ dataDir: data })).rejects.toThrow(/its database is missing/);
  });

  test('fails with a message if the database is damaged', async () => {
    await startWithAda();
    await service?.end();
    const { size } = await stat(join(data, 'bindery.db'));
    await truncate(join(data, 'bindery.db'), size - 4_096);
    await expect(serve({ dataDir: data })).rejects.toThrow(/is damaged/);
  });
});

async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
