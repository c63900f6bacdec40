import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { Author, createAuthor } from './author.ts';
import { bindery, type RunningService, serve } from './bindery.ts';

let service: RunningService;
let token: string;
beforeAll(async () => {
  service = await serve();
  token = await createAuthor(service);
});
afterAll(() => service.dispose());

/** Returns Ada, who has published two shapes, and her project. */
async function adaWithProject() {
  const ada = await Author.create(service, token, { 'mug/mug.obj': 'o mug', 'jug/jug.obj': 'o jug' });
  await ada.push('ada/shapes');
  const project = join(ada.home, 'simulation');
  await mkdir(project);
  return { ada, project, types: (...words: string[]) => bindery(words, { env: ada.env, cwd: project }) };
}

test('a project uses and syncs an asset, restores it offline from its lock, upgrades it and removes it', async () => {
  const { ada, project, types } = await adaWithProject();
  expect(await types('use', 'ada/shapes/mug', '--as', 'cup')).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(project, 'assets.yml'), 'utf8')).toBe(
    'assets:\n  - use: ada/shapes/mug\n    as: cup\n',
  );
  const synced = await types('sync');
  expect(synced.stdout).toMatch(
    /^Synced 1 asset to .*: 1 file \(5 B\) fetched and verified.* Wrote assets.lock.\n$/,
  );
  const offline = {
    ...ada.env,
    BINDERY_API_URL: 'http://127.0.0.1:1',
    XDG_STATE_HOME: join(ada.home, 'other'),
  };
  const clone = join(ada.home, 'clone');
  await mkdir(clone);
  const lock = await readFile(join(project, 'assets.lock'));
  await writeFile(join(clone, 'assets.lock'), lock);
  const frozen = await bindery(['sync', '--frozen', '--json'], { env: offline, cwd: clone });
  expect(JSON.parse(frozen.stdout)).toMatchObject({ fetched: { files: 0 }, cached: { files: 1 } });
  expect(await readFile(join(clone, 'assets/ada/shapes/mug/mug.obj'), 'utf8')).toBe('o mug');
  expect(await types('outdated')).toMatchObject({ exitCode: 0, stdout: '' });
  await ada.write({ 'mug/mug.obj': 'o new' });
  await ada.push('ada/shapes');
  expect(await types('outdated')).toMatchObject({ exitCode: 1, stdout: 'ada/shapes  1  2  cup\n' });
  expect(await types('sync', '--upgrade', 'ada/shapes')).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(project, 'assets/ada/shapes/mug/mug.obj'), 'utf8')).toBe('o new');
  expect(await types('unuse', 'cup')).toMatchObject({ exitCode: 0 });
  expect((await types('sync')).stdout).toContain(': 1 removed.');
});

test('one command moves all uses of a library to its newer release, the one that outdated names', async () => {
  const { ada, project, types } = await adaWithProject();
  await types('library', 'release', 'ada/shapes', 'v1');
  const file = join(project, 'assets.yml');
  const written = (release: string) =>
    `# Shapes of ours.\nassets:\n  - ada/shapes@${release}/mug\n  - use: ada/shapes@${release}/jug\n    as: can\n`;
  await writeFile(file, written('v1'));
  await types('sync');
  for (const release of ['v2', 'v3']) {
    await ada.write({ 'mug/mug.obj': `o ${release}` });
    await ada.push('ada/shapes');
    await types('library', 'release', 'ada/shapes', release);
  }
  expect(await types('outdated')).toMatchObject({ exitCode: 1, stdout: 'ada/shapes  v1  v3  mug\n' });
  expect(await types('sync', '--upgrade', 'ada/shapes@v2')).toMatchObject({ exitCode: 0 });
  expect(await readFile(file, 'utf8')).toBe(written('v2'));
  expect(await types('sync', '--upgrade')).toMatchObject({ exitCode: 0 });
  expect(await readFile(file, 'utf8')).toBe(written('v3'));
  expect(await readFile(join(project, 'assets/ada/shapes/mug/mug.obj'), 'utf8')).toBe('o v3');
  expect(await types('outdated')).toMatchObject({ exitCode: 0 });
  expect(await types('use', 'ada/shapes@v1/mug')).toMatchObject({ exitCode: 0 });
  expect(await readFile(file, 'utf8')).toBe(written('v1'));
});

test('an asset that does not exist is not used, and nothing is written', async () => {
  const { project, types } = await adaWithProject();
  await writeFile(join(project, 'assets.yml'), 'assets: [ada/shapes/jug]\n');
  for (const missing of ['ada/shapes/mgu', 'ada/shapes@v9/mug', 'ada/nothing/mug', 'ada/shapes/x*']) {
    const { exitCode } = await types('use', missing);
    expect([missing, exitCode]).toEqual([missing, 5]);
  }
  expect(await readFile(join(project, 'assets.yml'), 'utf8')).toBe('assets: [ada/shapes/jug]\n');
});

test('a release in the cache, and what the lock names, are found and pulled without a network', async () => {
  const { ada, project, types } = await adaWithProject();
  await types('library', 'release', 'ada/shapes', 'v1');
  const path = await types('path', 'ada/shapes@v1/mug');
  await types('library', 'pull', 'ada/shapes@v1', '-o', 'online');
  await types('use', 'ada/shapes/mug', '--as', 'cup');
  await types('sync');
  // A proxy that nobody runs, so that the address of the service stays the same.
  const env = { ...ada.env, HTTP_PROXY: 'http://127.0.0.1:9', NO_PROXY: '' };
  const offline = (...words: string[]) => bindery(words, { env, cwd: project });
  expect(await offline('path', 'ada/shapes@v1/mug')).toMatchObject({ exitCode: 0, stdout: path.stdout });
  expect(await offline('path', 'cup')).toMatchObject({ exitCode: 0, stdout: path.stdout });
  expect(await offline('path', 'cap')).toMatchObject({ exitCode: 5 });
  expect(await offline('library', 'pull', 'ada/shapes@v1', '-o', 'offline')).toMatchObject({ exitCode: 0 });
  expect(await readFile(join(project, 'offline/mug/mug.obj'), 'utf8')).toBe('o mug');
  expect(await offline('path', 'ada/shapes/mug')).toMatchObject({ exitCode: 3 });
});

test('a release whose files are in the cache is found and pulled without asking its service', async () => {
  const { ada, project, types } = await adaWithProject();
  await types('library', 'release', 'ada/shapes', 'v1');
  const path = await types('path', 'ada/shapes@v1/mug');
  await types('library', 'pull', 'ada/shapes@v1', '-o', 'first');
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    response.writeHead(503).end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const env = {
    ...ada.env,
    HTTP_PROXY: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    NO_PROXY: '',
  };
  const proxied = (...words: string[]) => bindery(words, { env, cwd: project });
  expect(await proxied('path', 'ada/shapes@v1/mug')).toMatchObject({ exitCode: 0, stdout: path.stdout });
  expect(await proxied('library', 'pull', 'ada/shapes@v1', '-o', 'second')).toMatchObject({ exitCode: 0 });
  expect(await proxied('path', 'ada/shapes@v1/cap')).toMatchObject({ exitCode: 5 });
  expect(asked).toEqual([]);
  await proxied('path', 'ada/shapes@v1/mug', '--verify');
  expect(asked).not.toEqual([]);
});

test('the address of something that does not exist is refused in plain words', async () => {
  const { types } = await adaWithProject();
  for (const missing of ['mgu', 'mug/mesh.obj'])
    expect(await types('library', 'url', `ada/shapes/${missing}`)).toMatchObject({
      exitCode: 5,
      stderr: expect.stringContaining(`ada/shapes has no asset and no file ${missing}.`),
    });
});

test('a server that is not a Bindery service is called that', async () => {
  const { ada, project } = await adaWithProject();
  for (const [status, body] of [
    [404, '<h1>Not found</h1>'],
    [404, '{"error":"Not Found"}'],
    [200, 'hello'],
  ] as const) {
    const server = createServer((_, response) => response.writeHead(status).end(body)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const env = { ...ada.env, BINDERY_API_URL: `http://127.0.0.1:${port}` };
    const { exitCode, stderr } = await bindery(['library', 'info', 'ada/shapes'], { env, cwd: project });
    expect([body, exitCode]).toEqual([body, 3]);
    expect(stderr).toMatch(/as a Bindery service/);
    expect(stderr).toContain('Check that --api-url or BINDERY_API_URL names a Bindery server');
  }
});

test('an error in assets.yml is reported with its line and column', async () => {
  const { project, types } = await adaWithProject();
  await writeFile(join(project, 'assets.yml'), 'assets:\n  - ada/shapes\n');
  const { exitCode, stderr } = await types('sync');
  expect(exitCode).toBe(2);
  expect(stderr).toMatch(/^Error: assets.yml:2:5: assets.0: ada\/shapes is a whole library/);
});

test('sync --frozen of a private release without a login says how to sign in, not that the release is gone', async () => {
  const { ada, project, types } = await adaWithProject();
  await types('library', 'release', 'ada/shapes', 'v1');
  for (const used of ['ada/shapes@v1/mug', 'ada/shapes/mug']) {
    await writeFile(join(project, 'assets.yml'), `assets:\n  - ${used}\n`);
    await types('sync', '--upgrade');
    const { BINDERY_TOKEN: _, ...signedOut } = ada.env;
    const newMachine = {
      ...signedOut,
      XDG_CACHE_HOME: join(ada.home, 'empty'),
      XDG_STATE_HOME: join(ada.home, 'none'),
    };
    const { exitCode, stderr } = await bindery(['sync', '--frozen'], { env: newMachine, cwd: project });
    expect(exitCode).toBe(4);
    expect(stderr).toContain(`not signed in to ${service.url}`.replace(/^n/, 'N'));
    expect(stderr).toContain(`bindery login --api-url ${service.url}`);
  }
});

test('a server that only assets.yml names is sent no token', async () => {
  const { project, types } = await adaWithProject();
  const seen: (string | undefined)[] = [];
  const server = createServer((request, response) => {
    seen.push(request.headers.authorization);
    response
      .writeHead(404, { 'content-type': 'application/json' })
      .end('{"error":"not_found","message":"No."}');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  await writeFile(
    join(project, 'assets.yml'),
    `server: http://127.0.0.1:${port}\nassets: [ada/shapes/mug]\n`,
  );
  const { exitCode, stderr } = await types('sync');
  expect(exitCode).toBe(5);
  expect(stderr).toContain('is used without signing in');
  expect(seen.length).toBeGreaterThan(0);
  expect(new Set(seen)).toEqual(new Set([undefined]));
});

test('the cache is inspected, verified and pruned from the command line', async () => {
  const { types } = await adaWithProject();
  await types('use', 'ada/shapes/*');
  await types('sync');
  expect(JSON.parse((await types('cache', 'info', '--json')).stdout)).toMatchObject({ entries: 3 });
  expect((await types('cache', 'verify')).stdout).toMatch(/^Verified 3 files/);
  expect((await types('cache', 'prune', '--keep', '0')).stdout).toMatch(
    /^Removed 3 files, .*; 0 files, 0 B are left/,
  );
  expect(await types('cache', 'prune', '--keep', 'much')).toMatchObject({ exitCode: 2 });
});
