import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { PYTHON } from '../packages/sdk/test/credentials/secret-service-session.ts';
import { rounds } from '../test/faults.ts';
import { Author, createAuthor, cube } from './author.ts';
import { bindery, type CommandResult, type RunningService, serve, spawnBindery } from './bindery.ts';

const PACKAGE = fileURLToPath(new URL('../python', import.meta.url));
const LIBRARY = 'ada/shapes';
const FILES = {
  'cube/cube.obj': cube(),
  'cube/notes.txt': 'a cube',
  'dice/dice.obj': cube(3),
  'dice/meshes/large.bin': Buffer.alloc(3_000_000, 'bindery'),
};
const DIGESTS = /^[0-9a-f]{64}$/;

let service: RunningService;
let token: string;
beforeAll(async () => {
  service = await serve();
  token = await createAuthor(service);
});
afterAll(() => service.dispose());

let published: Promise<unknown> | undefined;

/** Returns a user with an empty cache and a library to fetch. */
async function machine() {
  published ??= Author.create(service, token, FILES).then((author) => author.push(LIBRARY));
  await published;
  const person = await Author.create(service, token, {});
  const { PATH = '' } = process.env;
  const env = {
    ...person.env,
    PATH,
    PYTHONPATH: PACKAGE,
    PYTHON_KEYRING_BACKEND: 'keyring.backends.null.Keyring',
  };
  const startPython = (script: string, cwd = person.home) =>
    spawn(PYTHON, ['-c', `import bindery\n${script}`], { env, cwd });
  return {
    ...person,
    types: (...words: string[]) => person.run(...words),
    objects: join(person.home, 'cache', 'bindery', 'objects'),
    startPython,
    python: async (script: string, cwd?: string): Promise<string> => {
      const child = startPython(script, cwd);
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk) => {
        stdout += chunk;
      });
      child.stderr.on('data', (chunk) => {
        stderr += chunk;
      });
      await once(child, 'close');
      if (child.exitCode !== 0) throw new Error(stderr);
      return stdout.trim();
    },
    pull: (target: string) => person.run('pull', LIBRARY, '-o', join(person.home, target)),
    startPull: (target: string) =>
      spawnBindery(['library', 'pull', LIBRARY, '-o', join(person.home, target)], { env: person.env }),
    /** Runs a command in a folder; throws its stderr on failure. */
    typesIn: async (cwd: string, ...words: string[]) => {
      const ended = await bindery(words, { env: person.env, cwd });
      if (ended.exitCode !== 0) throw new Error(`exit ${ended.exitCode}: ${ended.stderr}`);
    },
    verifyCache: (): Promise<CommandResult> => bindery(['cache', 'verify', '--json'], { env: person.env }),
  };
}

test('the command line prints the path of an asset in the cache, which Python uses as it is', async () => {
  const ada = await machine();
  const typed = async (...words: string[]) => bindery(['path', ...words], { env: ada.env });
  const printed = await typed(`${LIBRARY}/cube`);
  const path = printed.stdout.trim();
  expect(await readFile(path, 'utf8')).toBe(FILES['cube/cube.obj']);
  expect((await stat(path)).mode & 0o222).toBe(0);
  const before = await stat(path);
  expect(await ada.python(`print(bindery.path("${LIBRARY}/cube", file="cube/cube.obj"))`)).toBe(path);
  expect((await stat(path)).ino).toBe(before.ino);
  expect(await ada.verifyCache()).toMatchObject({ exitCode: 0 });

  await chmod(path, 0o644);
  await writeFile(path, 'v 9 9 9');
  expect((await typed(`${LIBRARY}/cube`, '--file', 'cube/cube.obj')).stdout.trim()).toBe(path);
  expect(await readFile(path, 'utf8')).toBe(FILES['cube/cube.obj']);
  expect((await typed(`${LIBRARY}/cube`)).stdout.trim()).toBe(path);
  expect(await typed(LIBRARY)).toMatchObject({
    exitCode: 2,
    stderr: expect.stringContaining('One asset is needed'),
  });
  expect(await typed(`${LIBRARY}/none`)).toMatchObject({ stdout: '' });
});

test('Python uses files that the command line pulled, without fetching them again', async () => {
  const ada = await machine();
  await ada.pull('pulled');
  const before = await inodesOf(ada.objects);
  const path = await ada.python(`print(bindery.path("${LIBRARY}/cube", file="cube/cube.obj"))`);
  expect(await readFile(path, 'utf8')).toBe(cube());
  expect([...before.values()]).toContain((await stat(path)).ino);
  for (const [name, inode] of before) expect((await inodesOf(ada.objects)).get(name)).toBe(inode);
});

test('the command line pulls files that Python fetched, without fetching them again', async () => {
  const ada = await machine();
  await ada.python(`bindery.path("${LIBRARY}/dice", file="dice/dice.obj")`);
  const pulled = await ada.pull('pulled');
  expect(pulled.cached.files).toBe(2);
  expect(pulled.fetched.files).toBe(2);
  expect(await readFile(join(ada.home, 'pulled/dice/meshes/large.bin'))).toEqual(
    FILES['dice/meshes/large.bin'],
  );
});

describe('concurrent Python and command line processes', () => {
  const path = `print(open(bindery.path("${LIBRARY}/dice", file="dice/dice.obj")).read())`;

  test('fill one cache, and each gets the right files', async () => {
    const ada = await machine();
    const each = Array.from({ length: rounds({ short: 2, long: 10 }) }, (_, at) => at);
    const read = await Promise.all([
      ...each.map(() => ada.python(path)),
      ...each.map(async (at) => {
        await ada.pull(`pulled-${at}`);
        return readFile(join(ada.home, `pulled-${at}/dice/dice.obj`), 'utf8');
      }),
    ]);
    for (const text of read) expect(text.trim()).toBe(cube(3));
    const verified = await ada.verifyCache();
    expect(verified.exitCode, verified.stderr).toBe(0);
    expect(JSON.parse(verified.stdout).damaged).toEqual([]);
    expect(await readdir(join(ada.objects, 'tmp')).catch(() => [])).toEqual([]);
  });

  test('leave nothing damaged in the cache when they are killed', async () => {
    for (let round = 0; round < rounds({ short: 2, long: 40 }); round++) {
      const ada = await machine();
      const victims = [ada.startPython(path), ada.startPull('killed')];
      const closed = victims.map((victim) => once(victim, 'close'));
      // Kills them at an arbitrary point, once the first object is stored or being written.
      await expect.poll(() => namesIn(ada.objects), { interval: 5 }).not.toEqual([]);
      for (const victim of victims) victim.kill('SIGKILL');
      await Promise.all(closed);
      expect(await ada.python(path)).toBe(cube(3));
      await ada.pull('pulled');
      expect(await readFile(join(ada.home, 'pulled/dice/dice.obj'), 'utf8')).toBe(cube(3));
      const verified = await ada.verifyCache();
      expect(JSON.parse(verified.stdout).damaged).toEqual([]);
      expect(await readdir(join(ada.objects, 'tmp')).catch(() => [])).toEqual([]);
    }
  });
});

async function namesIn(folder: string): Promise<string[]> {
  return readdir(folder, { recursive: true }).catch(() => []);
}

/** Returns the inode of each object in a cache. */
async function inodesOf(objects: string): Promise<Map<string, number>> {
  const names = (await namesIn(objects)).filter((name) => DIGESTS.test(name.slice(3)));
  return new Map(
    await Promise.all(names.map(async (name) => [name, (await stat(join(objects, name))).ino] as const)),
  );
}

describe('a project locked by the command line', () => {
  async function locked() {
    const ada = await machine();
    const project = join(ada.home, 'project');
    await mkdir(project);
    await ada.typesIn(project, 'use', `${LIBRARY}/dice`, '--as', 'die');
    await ada.typesIn(project, 'use', `${LIBRARY}/cub*`);
    await ada.typesIn(project, 'sync');
    return { ada, project, placed: (path: string) => readFile(join(project, 'assets', LIBRARY, path)) };
  }

  test('works in Python, which finds every file in place', async () => {
    const { ada, project } = await locked();
    expect(await ada.python('print(open(bindery.path("die")).read())', project)).toBe(cube(3));
    expect(await ada.python('print(bindery.sync().placed, bindery.sync().unchanged)', project)).toBe('0 4');
  });

  test('is synced by concurrent Python and command line processes', async () => {
    const { ada, project, placed } = await locked();
    await rm(join(project, 'assets'), { recursive: true });
    const each = Array.from({ length: rounds({ short: 2, long: 10 }) }, (_, at) => at);
    await Promise.all([
      ...each.map(() => ada.python('bindery.sync(frozen=True)', project)),
      ...each.map(() => ada.typesIn(project, 'sync', '--frozen')),
    ]);
    for (const [path, content] of Object.entries(FILES)) {
      expect((await placed(path)).equals(Buffer.from(content))).toBe(true);
    }
    expect(JSON.parse((await ada.verifyCache()).stdout).damaged).toEqual([]);
  });

  test('is synced by Python from a mirror on a machine without a token', async () => {
    const { ada, project } = await locked();
    const mirror = join(ada.home, 'mirror');
    await ada.types('export', LIBRARY, mirror);
    const bob = await machine();
    await cp(project, join(bob.home, 'project'), { recursive: true });
    await rm(join(bob.home, 'project/assets'), { recursive: true });
    const placed = await bob.python(
      `import os\nos.environ.pop("BINDERY_TOKEN")\nprint(bindery.sync(mirror=${JSON.stringify(mirror)}).placed)`,
      join(bob.home, 'project'),
    );
    expect(placed).toBe('4');
    expect(await readFile(join(bob.home, 'project/assets', LIBRARY, 'dice/dice.obj'), 'utf8')).toBe(cube(3));
  });
});
