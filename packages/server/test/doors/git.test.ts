import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Actor } from '../actor.ts';
import { databases } from '../databases.ts';
import { exchange } from '../exchange.ts';
import { publish, type WrittenLibrary } from '../libraries/publish.ts';
import { startService, type TestService } from '../service.ts';

const run = promisify(execFile);

const FILES = {
  'arm/arm.xml': '<mujoco/>',
  'arm/meshes/größe 1.obj': 'v 0 0 0\n',
  'arm.d/x': 'x',
  'arm-2/empty': '',
  'Arm/arm.xml': '<mujoco model="of another case"/>',
};
const robots: WrittenLibrary = {
  assets: [{ id: 'arm', files: FILES }],
  generated: { '.bindery/source/README.md': '# Robots', '.bindery/thumbs/arm.webp': 'a picture' },
};
const CLONED = { ...FILES, 'README.md': '# Robots' };
const changed: WrittenLibrary = {
  ...robots,
  assets: [{ id: 'arm', files: { ...FILES, 'arm/arm.xml': '<mujoco model="newer"/>' } }],
};

describe.each(databases)('git on $name', ({ open }) => {
  let service: TestService;
  let ada: Actor;
  let folder: string;
  let token: string;
  let clones = 0;

  beforeAll(async () => {
    service = await startService({ database: await open() });
    folder = await mkdtemp(join(tmpdir(), 'bindery-git-'));
    ada = await service.member('ada');
    token = ada.headers.authorization!.slice('Bearer '.length);
    await publish(ada, 'ada/secret', robots);
    await publish(ada, 'ada/robots', { ...robots, visibility: 'public' });
    await ada.post('/namespaces/ada/libraries/robots/releases', { name: 'v1' });
    await publish(ada, 'ada/robots', changed);
  });
  afterAll(async () => {
    await service.close();
    await rm(folder, { recursive: true, force: true });
  });

  const git = async (...words: string[]) => {
    const env = { PATH: process.env.PATH, HOME: folder, GIT_TERMINAL_PROMPT: '0', LC_ALL: 'C' };
    return (await run('git', words, { cwd: folder, env })).stdout.trim();
  };
  const failureOf = (...words: string[]): Promise<string> =>
    git(...words).then(
      () => '',
      ({ stderr }: { stderr: string }) => stderr,
    );
  const address = (library: string) => `${service.url}/git/${library}`;
  async function clone(library: string, ...options: string[]): Promise<string> {
    const into = `clone-${clones++}`;
    await git('clone', '--quiet', ...options, address(library), into);
    return into;
  }
  async function filesIn(clone: string): Promise<Record<string, string>> {
    const entries = await readdir(join(folder, clone), { recursive: true, withFileTypes: true });
    const paths = entries
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name).slice(join(folder, clone).length + 1))
      .filter((path) => !path.startsWith('.git/'));
    const read = async (path: string) => [path, await readFile(join(folder, clone, path), 'utf8')];
    return Object.fromEntries(await Promise.all(paths.map(read)));
  }

  test('a clone has the files of the current revision at their paths, and says which it is', async () => {
    const here = await clone('ada/robots.git');
    expect(await filesIn(here)).toEqual({ ...CLONED, 'arm/arm.xml': '<mujoco model="newer"/>' });
    expect(await git('-C', here, 'fsck', '--strict', '--full')).toBe('');
    expect(await git('-C', here, 'log', '--format=%an %s')).toBe('Bindery ada/robots, revision 2');
    expect(await git('-C', here, 'branch', '--show-current')).toBe('main');
  });

  test('a release is a tag, with or without depth', async () => {
    for (const options of [[], ['--depth', '1'], ['--single-branch']]) {
      const here = await clone('ada/robots', '--branch', 'v1', ...options);
      expect(await filesIn(here)).toEqual(CLONED);
      expect(await git('-C', here, 'fsck', '--strict')).toBe('');
    }
  });

  test('a fetch brings what a new revision changed, and nothing when there is none', async () => {
    await publish(ada, 'ada/moving', { ...robots, visibility: 'public' });
    const here = await clone('ada/moving');
    const objects = async () =>
      Number(/^count: (\d+)/.exec(await git('-C', here, 'count-objects', '-v'))?.[1]);
    const before = await objects();
    await publish(ada, 'ada/moving', changed);
    await ada.post('/namespaces/ada/libraries/moving/releases', { name: 'v2' });
    await git('-C', here, 'fetch', '--quiet');
    // A commit, two trees and a file.
    expect(await objects()).toBe(before + 4);
    expect(await git('-C', here, 'rev-parse', 'v2')).toBe(await git('-C', here, 'rev-parse', 'origin/main'));
    await git('-C', here, 'reset', '--quiet', '--hard', 'origin/main');
    expect((await filesIn(here))['arm/arm.xml']).toBe('<mujoco model="newer"/>');
    await git('-C', here, 'fetch', '--quiet');
    expect(await objects()).toBe(before + 4);
  });

  test('a repository with other commits fetches a library, and one by its commit', async () => {
    const here = `clone-${clones++}`;
    await git('init', '--quiet', here);
    const commit = ['-c', 'user.name=ben', '-c', 'user.email=ben@example.org', 'commit', '--quiet'];
    for (let at = 0; at < 40; at++) await git('-C', here, ...commit, '--allow-empty', '-m', `${at}`);
    const [wanted = ''] = (await git('ls-remote', address('ada/robots'), 'v1')).split('\t');
    await git('-C', here, 'fetch', '--quiet', '--depth', '1', address('ada/robots'), wanted);
    await git('-C', here, 'checkout', '--quiet', wanted);
    expect(await filesIn(here)).toEqual(CLONED);
  });

  test('commits depend on what was published alone', async () => {
    const before = await git('ls-remote', address('ada/robots'));
    await rm(join(service.context.configuration.dataDir, 'git'), { recursive: true });
    await ada.patch('/namespaces/ada/libraries/robots', { visibility: 'private' });
    await ada.patch('/namespaces/ada/libraries/robots', { visibility: 'public' });
    expect(await git('ls-remote', address('ada/robots'))).toBe(before);
  });

  test('what is private is cloned with a token, and hidden is as missing', async () => {
    const withToken = (library: string) => address(library).replace('://', `://ada:${token}@`);
    await git('clone', '--quiet', withToken('ada/secret'), 'secret');
    expect(await filesIn('secret')).toEqual(CLONED);
    const stranger = await service.stranger();
    const answers = async (headers: Record<string, string>) =>
      Promise.all(
        ['ada/secret', 'ada/none', 'none/none', 'ada/secret.git', 'ada/..'].map(async (library) => {
          const url = `${address(library.replace('..', '%2e%2e%2f'))}/info/refs?service=git-upload-pack`;
          const { status, bytes } = await exchange(url, { method: 'GET', headers });
          return `${status} ${bytes}`;
        }),
      );
    expect(new Set(await answers({}))).toEqual(
      new Set(['401 Not found, or you do not have access. Send a token.\n']),
    );
    expect(new Set(await answers({ ...stranger.headers }))).toEqual(
      new Set(['404 Not found, or you do not have access.\n']),
    );
  });

  test('a push is refused in words that git prints', async () => {
    const here = await clone('ada/robots');
    const failure = await failureOf('-C', here, 'push', address('ada/robots'), 'main:other');
    expect(failure).toContain('remote: Nothing can be pushed here with git. Publish with "bindery push".');
  });

  test('files that git keeps for itself are left out, and named', async () => {
    const own = ['.git/config', 'a/.GIT/x', 'a/git~1', 'a/.gi\u200ct', '.gitmodules', 'a/.git ./x'];
    const files = Object.fromEntries(own.map((path) => [path, '[core]']));
    const taken = { 'a/.gitignore': '', 'a/x.git': '', 'a/git': '', 'a/aux': '' };
    const visibility = 'public';
    await publish(ada, 'ada/own', { assets: [{ id: 'a', files: { ...files, ...taken } }], visibility });
    const here = await clone('ada/own', '-c', 'transfer.fsckObjects=true');
    expect(await filesIn(here)).toEqual(taken);
    const { stderr } = await run('git', ['clone', '--progress', address('ada/own'), 'told'], { cwd: folder });
    for (const path of own) expect(stderr).toContain(path);
  });

  test('a damaged file ends a clone, and is reported', async () => {
    await publish(ada, 'ada/damaged', { ...robots, visibility: 'public' });
    const { context } = service;
    const row = await context.db
      .selectFrom('libraries')
      .select('store_id')
      .where('name', '=', 'damaged')
      .executeTakeFirstOrThrow();
    const { createHash } = await import('node:crypto');
    const sha256 = createHash('sha256').update('<mujoco/>').digest('hex');
    await writeFile(await context.objects.localFile({ storeId: row.store_id, sha256 }), '<mujocO/>');
    expect(await failureOf('clone', address('ada/damaged'), 'damaged')).toContain(
      'remote: The service has lost a file of this library.',
    );
    const found = await context.db.selectFrom('damaged_objects').selectAll().execute();
    expect(found.map((object) => object.sha256)).toEqual([sha256]);
  });

  describe('requests that no client sends', () => {
    const UNKNOWN = '1'.repeat(40);
    const packet = (line: string) => (line.length + 4).toString(16).padStart(4, '0') + line;
    async function post(body: string | Uint8Array<ArrayBuffer>, headers: Record<string, string> = {}) {
      const type = { 'content-type': 'application/x-git-upload-pack-request' };
      const url = `${address('ada/robots')}/git-upload-pack`;
      const { status, bytes } = await exchange(url, {
        method: 'POST',
        headers: { ...type, ...headers },
        body: Buffer.from(body),
      });
      return `${status} ${bytes.toString('latin1')}`;
    }

    test('end in words, not in a failure', async () => {
      expect(await post(`${packet(`want ${UNKNOWN} side-band-64k\n`)}0000${packet('done\n')}`)).toBe(
        `200 ${packet(`ERR upload-pack: not our ref ${UNKNOWN}`)}`,
      );
      for (const body of [
        'fff',
        'zzzz',
        '0001',
        '0004',
        'ffff',
        `fff0${'a'.repeat(65_516)}`,
        packet('want me'),
        packet('x'),
      ])
        expect(await post(body)).toMatch(/^400 This is no request of git/);
      const wants = Array.from({ length: 2_000 }, (_, at) => packet(`want ${String(at).padStart(40, '0')}`));
      expect(await post(wants.join(''))).toMatch(/^400 .*more than 1000 commits/);
      expect(await post(packet(`want ${UNKNOWN}`).repeat(200_000))).toMatch(/^413/);
      const bomb = gzipSync(Buffer.alloc(64 * 2 ** 20, '0000'));
      expect(await post(new Uint8Array(bomb), { 'content-encoding': 'gzip' })).toMatch(/^413/);
      expect(await post('no gzip', { 'content-encoding': 'gzip' })).toMatch(/^400/);
      expect(await post('0000', { 'content-encoding': 'br' })).toMatch(/^415/);
      expect(await post('0000')).toBe('200 ');
      const { status } = await exchange(`${address('ada/robots')}/info/refs`, { method: 'GET' });
      expect(status).toBe(400);
    });
  });
});
