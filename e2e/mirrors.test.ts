import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { PYTHON } from '../packages/sdk/test/credentials/secret-service-session.ts';
import { Author, createAuthor, cube } from './author.ts';
import { bindery, type RunningService, serve } from './bindery.ts';

let service: RunningService;
let token: string;
beforeAll(async () => {
  service = await serve();
  token = await createAuthor(service);
});
afterAll(() => service.dispose());

async function exported(name: string, ...words: string[]) {
  const ada = await Author.create(service, token, { 'cube/cube.obj': cube(), 'note/note.txt': 'mine' });
  await ada.push(`ada/${name}`, ...words);
  const mirror = join(ada.home, 'mirror');
  const result = await ada.run('export', `ada/${name}`, mirror);
  const pull = (location: string, ...words: string[]) =>
    bindery(
      [
        'library',
        'pull',
        `ada/${name}`,
        '-o',
        join(ada.home, 'pulled'),
        '--mirror',
        location,
        '--no-cache',
        ...words,
      ],
      {
        env: ada.env,
      },
    );
  return {
    ada,
    mirror,
    result,
    pull,
    pulled: (path: string) => readFile(join(ada.home, 'pulled', path), 'utf8'),
  };
}

/** A plain web server for a folder, unaware of Bindery. */
async function webServer(folder: string) {
  const words = ['-u', '-m', 'http.server', '0', '--bind', '127.0.0.1', '-d', folder];
  const child = spawn(PYTHON, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  const port = new Promise<string>((resolve) => {
    child.stdout.on('data', (chunk) => {
      printed += chunk;
      const [, found] = /port (\d+)/.exec(printed) ?? [];
      if (found) resolve(found);
    });
  });
  let log = '';
  child.stderr.on('data', (chunk) => {
    log += chunk;
  });
  onTestFinished(async () => {
    child.kill();
    await once(child, 'close');
  });
  return { url: `http://127.0.0.1:${await port}`, log: () => log };
}

test('a library is pulled from a mirror on a plain web server, with its platform artifacts', async () => {
  const { ada, mirror, pull, pulled } = await exported('served', '--thumbnails');
  const server = await webServer(mirror);
  const ended = await pull(server.url, '--all');
  expect(ended.stderr).toBe('');
  expect(ended).toMatchObject({ exitCode: 0 });
  expect(await pulled('cube/cube.obj')).toBe(cube());
  const { generated = [] } = await ada.manifest('ada/served');
  const thumbnails = generated.filter((path) => path.includes('thumb'));
  expect(thumbnails.length).toBeGreaterThan(0);
  for (const path of thumbnails) expect(existsSync(join(ada.home, 'pulled', path))).toBe(true);
  expect(server.log().match(/"GET \/objects\/[0-9a-f/]+ HTTP\/1.1" 200/g)?.length).toBeGreaterThan(2);
});

test('a release is pulled from a mirror after a newer revision of the library was published', async () => {
  const { ada, mirror } = await exported('moving');
  await ada.run('release', 'ada/moving', 'v1.0');
  await ada.write({ 'cube/cube.obj': cube(5) });
  await ada.push('ada/moving');
  await rm(mirror, { recursive: true });
  await ada.run('export', 'ada/moving@v1.0', mirror);
  const { libraries } = JSON.parse(await readFile(join(mirror, 'mirror.json'), 'utf8'));
  expect(libraries['ada/moving']).toEqual({ 'v1.0': { revision: 1, manifest: expect.any(Object) } });
  const target = join(ada.home, 'released');
  await ada.run('pull', 'ada/moving@v1.0', '-o', target, '--mirror', mirror, '--no-cache');
  expect(await readFile(join(target, 'cube/cube.obj'), 'utf8')).toBe(cube());
});

describe('a pull from a broken mirror', () => {
  test('exits with 7 and names the damaged object', async () => {
    const { mirror, pull, result } = await exported('wrong');
    const { assets } = JSON.parse(await readFile(objectIn(mirror, result.manifest.sha256), 'utf8'));
    const { sha256 } = assets[0].files[0];
    await writeFile(objectIn(mirror, sha256), cube(3).padEnd(cube().length).slice(0, cube().length));
    const server = await webServer(mirror);
    const ended = await pull(server.url);
    expect(ended.exitCode).toBe(7);
    expect(ended.stderr).toContain(`in place of the object ${sha256}`);
  });

  test('exits with 3 if an object is missing, and suggests checking the export', async () => {
    const { mirror, pull } = await exported('lacking');
    await rm(join(mirror, 'objects'), { recursive: true });
    const ended = await pull(mirror);
    expect(ended.exitCode).toBe(3);
    expect(ended.stderr).toMatch(/The mirror \S+ has no objects\/[\s\S]*export was complete/);
  });

  test('is refused if the address of the mirror has an unsupported scheme', async () => {
    const { pull } = await exported('nowhere');
    const ended = await pull('ftp://127.0.0.1/mirror');
    expect(ended.exitCode).toBe(2);
    expect(ended.stderr).toContain('begins with file:, http: or https:');
  });
});

function objectIn(mirror: string, sha256: string): string {
  return join(mirror, 'objects', sha256.slice(0, 2), sha256);
}
