import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { basename, delimiter, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type BuiltPackage, buildPackages } from '../../scripts/packages/build.ts';
import {
  type CommandResult,
  Installation,
  pack,
  packageOfNode,
  startRegistry,
  versionsIn,
} from './installation.ts';

const ROOT = join(import.meta.dirname, '../..');
const MIB = 1024 * 1024;
/** The command line is a bundle that needs no other package of Bindery. */
const CLIENT = ['@bindery/cli'];

/** Problems with module resolution that Node 22 does not have, and those of ESM-only packages. */
const OF_OLDER_NODES = ['NoResolution', 'UntypedResolution', 'CJSResolvesToESM'];

let work: string;
let packages: (BuiltPackage & { archive: string })[];

beforeAll(async () => {
  work = await mkdtemp(join(tmpdir(), 'bindery-packages-'));
  const built = await buildPackages(join(import.meta.dirname, '../../build/packages'));
  await mkdir(join(work, 'packed'));
  packages = await Promise.all(
    built.map(async (one) => ({ ...one, archive: await pack(one.folder, join(work, 'packed')) })),
  );
});
afterAll(() => rm(work, { recursive: true, force: true }));

const archives = (names: readonly string[]) =>
  packages.filter(({ name }) => names.includes(name)).map(({ archive }) => archive);

describe('every package', () => {
  test('contains no TypeScript sources, and has a README, LICENSE and NOTICE', async () => {
    for (const { name, archive } of packages) {
      const files = createPackageFromTarballData(await readFile(archive)).listFiles();
      expect(
        files.filter((file) => /(?<!\.d)\.ts$/.test(file)),
        name,
      ).toEqual([]);
      expect(
        files.map((file) => file.split('/').at(-1)),
        name,
      ).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'NOTICE']));
    }
  });

  test('accepts only optional parts of its own version', async () => {
    for (const { name, folder } of packages) {
      const { version, peerDependencies = {} } = JSON.parse(
        await readFile(join(folder, 'package.json'), 'utf8'),
      ) as { version: string; peerDependencies?: Record<string, string> };
      const parts = Object.entries(peerDependencies).filter(([part]) => part.startsWith('@bindery/'));
      expect(parts, name).toEqual(parts.map(([part]) => [part, version]));
      if (name === '@bindery/cli') expect(parts).toHaveLength(3);
    }
  });

  test('passes publint in strict mode', async () => {
    for (const { name, folder } of packages) {
      const { messages, pkg } = await publint({ pkgDir: folder, strict: true, pack: false });
      expect(
        messages.map((message) => formatMessage(message, pkg)),
        name,
      ).toEqual([]);
    }
  });

  test('has types that resolve wherever its code does', async () => {
    for (const { name, archive } of packages) {
      const analysis = await checkPackage(createPackageFromTarballData(await readFile(archive)));
      if (name === '@bindery/cli') continue;
      expect(analysis.types, name).toBeTruthy();
      const problems = 'problems' in analysis ? analysis.problems : [];
      const modern = problems.filter((problem) => {
        const resolution = 'resolutionKind' in problem ? problem.resolutionKind : '';
        return (
          resolution !== 'node10' && !(OF_OLDER_NODES.includes(problem.kind) && resolution === 'node16-cjs')
        );
      });
      expect(modern, name).toEqual([]);
    }
  });
});

describe('installed into an empty folder', () => {
  let client: Installation;
  let nodes: { oldest: string; today: string };
  let env: Record<string, string>;

  beforeAll(async () => {
    const oldest = await Installation.of(join(work, 'node'), [packageOfNode('22.18.0')]);
    nodes = { oldest: await oldest.node(), today: process.execPath };
    client = await Installation.of(join(work, 'client'), archives(CLIENT));
    env = { HOME: work, XDG_CACHE_HOME: join(work, 'cache'), BINDERY_NO_KEYCHAIN: '1' };
  });

  test('the service has the client to hand out, byte for byte, which depends on no package of Bindery', async () => {
    const [server, cli] = ['@bindery/server', '@bindery/cli'].map((name) =>
      packages.find((one) => one.name === name),
    );
    const served = join(server?.folder ?? '', 'dist/client', basename(cli?.archive ?? ''));
    expect(await readFile(served)).toEqual(await readFile(cli?.archive ?? ''));
    const { dependencies } = JSON.parse(await readFile(join(cli?.folder ?? '', 'package.json'), 'utf8'));
    expect(Object.keys(dependencies).filter((name) => name.startsWith('@bindery/'))).toEqual([]);
  });

  test('the client takes less than 10 MiB, and names the licences of what is bundled into it', async () => {
    expect(await client.bytes()).toBeLessThan(10 * MIB);
    const licenses = join(client.folder, 'node_modules/@bindery/cli/THIRD-PARTY-LICENSES');
    expect(await readFile(licenses, 'utf8')).toMatch(/^zod \d.* \(MIT\)\n\n.*MIT License/m);
  });

  test('the client runs on Node 22.18 and on the Node that runs the tests', async () => {
    for (const node of Object.values(nodes)) {
      expect(await client.run(node, ['--version'], env)).toMatchObject({ code: 0, stderr: '' });
      const completion = await client.run(node, ['completion', 'bash'], env);
      expect(completion).toMatchObject({ code: 0, stdout: expect.stringContaining('library'), stderr: '' });
    }
  });

  test('the client leaves out what ignore files name, with the versions of packages that the clone has', async () => {
    const folder = join(work, 'ignoring');
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, '.gitignore'), '*.log\n');
    await writeFile(join(folder, 'cube.obj'), 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n');
    await writeFile(join(folder, 'build.log'), 'done\n');
    const plan = ['library', 'push', folder, 'ada/cubes', '--dry-run', '--api-url', 'http://127.0.0.1:1'];
    const { stderr } = await client.run(nodes.today, plan, env);
    expect(stderr).toContain('.gitignore:1 (*.log)');
  });

  test('the client says in one sentence that Node 20 is too old', async () => {
    const old = await Installation.of(join(work, 'old-node'), [packageOfNode('20')]);
    const answer = await client.run(await old.node(), ['profile'], env);
    expect(answer).toMatchObject({ code: 2, stdout: '' });
    expect(answer.stderr).toMatch(/^Error: bindery needs Node 22\.18 or newer, and this is 20\.[^\n]*\.\n$/);
  });

  test.each([
    [['serve'], 'Running a service needs the package @bindery/server.'],
    [['admin', 'list-users'], 'Running a service needs the package @bindery/server.'],
    [['model', 'list'], 'Work with models needs the package @bindery/encoder.'],
  ])('for %j, the client names the missing package and how to get it', async (words, sentence) => {
    const { code, stderr } = await client.run(nodes.today, words, env);
    expect(code).toBe(2);
    expect(stderr).toContain(sentence);
    expect(stderr).toContain('deploy/install.sh build/packages');
  });

  test('the client serves tools to agents', async () => {
    const hello = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'test', version: '1' },
    };
    const request = { jsonrpc: '2.0', id: 1, method: 'initialize', params: hello };
    const { stdout } = await client.run(nodes.oldest, ['mcp'], env, `${JSON.stringify(request)}\n`);
    expect(JSON.parse(stdout)).toMatchObject({ id: 1, result: { serverInfo: { name: 'bindery' } } });
  });

  test('the client asks the proxy that the environment names', async () => {
    const asked: string[] = [];
    const proxy = createServer().on('connect', (request, socket) => {
      asked.push(request.url ?? '');
      socket.end('HTTP/1.1 502 Bad Gateway\r\n\r\n');
    });
    await once(proxy.listen(0, '127.0.0.1'), 'listening');
    const { port } = proxy.address() as AddressInfo;
    const proxied = { ...env, https_proxy: `http://127.0.0.1:${port}`, BINDERY_TOKEN: 'bnd_a-secret' };
    const words = ['profile', '--api-url', 'https://bindery.example.org'];
    const { code } = await client.run(nodes.oldest, words, proxied);
    proxy.close();
    expect(code).not.toBe(0);
    expect(asked).toContain('bindery.example.org:443');
  });

  test('an installed service works with an installed client, on Node 22.18 and the Node that runs the tests', async () => {
    const all = packages.map(({ name }) => name);
    const full = await Installation.of(join(work, 'full'), archives(all));
    const dataDir = join(work, 'data');
    const admin = (...words: string[]) =>
      full.run(nodes.oldest, ['admin', ...words, '--data-dir', dataDir], env, 'correct horse battery\n');
    const made = await admin('create-user', 'ada', '--email', 'ada@example.org', '--password-stdin');
    expect(made.code, made.stderr).toBe(0);
    const token = await admin('create-token', 'ada', '--scope', 'write', '--json');
    for (const [at, node] of Object.values(nodes).entries()) {
      const service = await full.serve(node, dataDir);
      try {
        const ada = { ...env, BINDERY_API_URL: service.url, BINDERY_TOKEN: JSON.parse(token.stdout).token };
        await done(client.run(node, ['profile'], ada));
        const folder = join(work, `shapes${at}`);
        await mkdir(join(folder, 'red-arm'), { recursive: true });
        await writeFile(join(folder, 'red-arm', 'arm.obj'), `${TRIANGLE}# ${at}\n`);
        const library = ['library', 'push', folder, `ada/shapes${at}`, '--thumbnails'];
        await done(full.run(node, library, ada));
        const found = await client.run(
          node,
          ['library', 'search', 'arm', '--library', `ada/shapes${at}`],
          ada,
        );
        expect(found).toMatchObject({ code: 0, stdout: expect.stringContaining('red-arm') });
        const target = join(work, `pulled${at}`);
        const pull = ['library', 'pull', `ada/shapes${at}`, '-o', target, '--all'];
        await done(client.run(node, pull, ada));
        expect(await readFile(join(target, 'red-arm', 'arm.obj'), 'utf8')).toBe(`${TRIANGLE}# ${at}\n`);
        await expectThreadsToWork((...words) => done(client.run(node, words, ada)), join(work, `scans${at}`));
      } finally {
        await service.stop();
      }
    }
  });
});

describe('installed with what the tests ran with', () => {
  let tested: Record<string, string>;
  beforeAll(async () => {
    tested = await versionsIn(join(ROOT, 'package-lock.json'));
  });

  test.each(['@bindery/cli', '@bindery/server'])('%s from a registry brings exactly that', async (name) => {
    const published = packages.map(async ({ folder, archive }) => ({
      manifest: JSON.parse(await readFile(join(folder, 'package.json'), 'utf8')),
      file: archive,
      hasShrinkwrap: existsSync(join(folder, 'npm-shrinkwrap.json')),
    }));
    const registry = await startRegistry(await Promise.all(published));
    try {
      const installed = await Installation.of(join(work, 'from', name), [name], registry.url);
      const below = `node_modules/${name}/`;
      const versions = Object.entries(await installed.versions());
      expect(versions.length).toBeGreaterThan(5);
      for (const [place, version] of versions) {
        expect(place).toContain(below);
        const inPackage = place.slice(below.length);
        const inClone = inPackage.replace(/^node_modules\/@bindery\/([^/]+)\//, 'packages/$1/');
        expect([version], place).toContain(tested[inClone] ?? tested[`packages/server/${inPackage}`]);
      }
    } finally {
      await registry.close();
    }
  });

  test('deploy/install.sh brings exactly that', async () => {
    const prefix = join(work, 'opt');
    await runScript(process.execPath, prefix);
    const versions = Object.entries(await versionsIn(join(prefix, 'node_modules', '.package-lock.json')));
    expect(versions.length).toBeGreaterThan(100);
    for (const [place, version] of versions) {
      const own = place.replace(/^node_modules\/@bindery\/([^/]+)\//, 'packages/$1/');
      expect([version], place).toContain(tested[own]);
    }
  });

  test('deploy/install.sh says first that Node 20 is too old', async () => {
    const old = await Installation.of(join(work, 'old-node'), [packageOfNode('20')]);
    const prefix = join(work, 'too-old');
    const failure = await runScript(await old.node(), prefix).catch(({ code, stderr }) => ({ code, stderr }));
    expect(failure).toEqual({
      code: 1,
      stderr: expect.stringMatching(/^Bindery needs Node\.js 22\.18 or newer, and \S+ is v20\.[^\n]*\.\n$/),
    });
    expect(existsSync(prefix)).toBe(false);
  });

  function runScript(node: string, prefix: string) {
    const PATH = [dirname(node), process.env.PATH].join(delimiter);
    const script = join(ROOT, 'deploy', 'install.sh');
    return promisify(execFile)(script, [join(ROOT, 'build', 'packages'), prefix], {
      env: { ...process.env, PATH },
    });
  }
});

/** Publishes and pulls as much as makes the client hash, verify and place files in threads. */
async function expectThreadsToWork(bindery: (...words: string[]) => Promise<void>, folder: string) {
  const [source, target] = [join(folder, 'source'), join(folder, 'target')];
  await mkdir(join(source, 'room'), { recursive: true });
  const names = Array.from({ length: 200 }, (_, at) => `part-${at}.txt`);
  for (const name of names) await writeFile(join(source, 'room', name), `${TRIANGLE}# ${name}\n`);
  const scan = Buffer.alloc(65 * MIB, 'a scan of a room ');
  await writeFile(join(source, 'room', 'scan.bin'), scan);
  const library = `ada/${basename(folder)}`;
  await bindery('library', 'push', source, library);
  await bindery('library', 'pull', library, '-o', target, '--no-cache');
  for (const name of names)
    expect(await readFile(join(target, 'room', name), 'utf8')).toBe(`${TRIANGLE}# ${name}\n`);
  expect(scan.equals(await readFile(join(target, 'room', 'scan.bin')))).toBe(true);
}

async function done(ended: Promise<CommandResult>): Promise<void> {
  const { code, stderr } = await ended;
  expect(code, stderr).toBe(0);
}

const TRIANGLE = 'v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n';
