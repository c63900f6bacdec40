import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zipSync } from 'fflate';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { canRun } from '../packages/sdk/test/credentials/needed-programs.ts';
import { CLIENTS_PYTHON, missingPythonClients } from '../test/python-clients.ts';
import { createAuthor } from './author.ts';
import { bindery, type RunningService, serve, temporaryFolder } from './bindery.ts';

const run = promisify(execFile);

const ARM = '<mujoco model="arm"><worldbody><body><geom size="1"/></body></worldbody></mujoco>';
const SDF = '<sdf version="1.6"><model name="Cafe Chair"><link name="link"/></model></sdf>';
const FILES: Record<string, string> = {
  'arm/arm.xml': ARM,
  'Isaac/Props/größe 1.obj': 'v 0 0 0\n',
};
const CHAIR = {
  'model.config': '<model><name>Cafe Chair</name><sdf version="1.6">model.sdf</sdf></model>',
  'model.sdf': SDF,
};

const missing = [
  ...['curl', 'find', 'git', 'ign'].filter((name) => !existsSync(`/usr/bin/${name}`)),
  ...missingPythonClients(),
];

describe.runIf(canRun('Clients of others', missing))('what was imported, with its source ended', () => {
  let home: string;
  let service: RunningService;
  let token: string;
  let env: NodeJS.ProcessEnv;

  const client = (program: string, ...words: string[]) => run(program, words, { cwd: home, env });
  const python = async (script: string) => (await client(CLIENTS_PYTHON, '-c', script)).stdout.trimEnd();
  const written = async (folder: string, files: Record<string, string>) => {
    for (const [path, text] of Object.entries(files)) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    return folder;
  };
  const variables = async (library: string): Promise<Record<string, string>> => {
    const settings = { HOME: home, BINDERY_API_URL: service.url, BINDERY_TOKEN: token };
    const { stdout } = await bindery(['library', 'url', library, '--env', '--json'], { env: settings });
    return JSON.parse(stdout).variables;
  };

  beforeAll(async () => {
    home = await temporaryFolder();
    service = await serve();
    token = await createAuthor(service);
    env = {
      ...{ PATH: process.env.PATH, HOME: home, HF_TOKEN: token },
      ...{ HF_HUB_DISABLE_PROGRESS_BARS: '1', HF_HUB_DISABLE_TELEMETRY: '1' },
    };
    const source = await serve();
    const owner = { HOME: home, BINDERY_API_URL: source.url, BINDERY_TOKEN: await createAuthor(source) };
    await bindery(['library', 'push', await written(join(home, 'robots'), FILES), 'ada/robots'], {
      env: owner,
    });
    await client('tar', '-cJf', 'arm-0123456789abcdef.tar.xz', '-C', 'robots', 'arm');
    const archive = await readFile(join(home, 'arm-0123456789abcdef.tar.xz'));
    const server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? '', 'http://localhost');
      if (pathname === '/1.0/ada/models/Cafe%20Chair')
        return response.end(JSON.stringify({ name: 'Cafe Chair', owner: 'ada', version: 3 }));
      if (pathname.endsWith('.zip'))
        return response.end(
          zipSync(Object.fromEntries(Object.entries(CHAIR).map(([path, text]) => [path, Buffer.from(text)]))),
        );
      return response.end(archive);
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    const files = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const sha256 = createHash('sha256').update(archive).digest('hex');
    await writeFile(join(home, 'files.txt'), `${sha256} ${files}/assets/arm-0123456789abcdef.tar.xz\n`);
    const bring = async (address: string, library: string, more: Record<string, string> = {}) => {
      const settings = { HOME: home, BINDERY_API_URL: service.url, BINDERY_TOKEN: token };
      const endpoint = { HF_ENDPOINT: `${source.url}/hf`, HF_TOKEN: owner.BINDERY_TOKEN };
      expect(
        await bindery(['library', 'import', address, library], {
          env: { ...settings, ...endpoint, ...more },
          cwd: home,
        }),
      ).toMatchObject({ exitCode: 0 });
    };
    await bring('hf:ada/robots', 'ada/robots');
    await client('git', 'init', '--quiet', 'menagerie');
    await written(join(home, 'menagerie'), { 'universal_robots_ur5e/ur5e.xml': ARM, '.gitignore': '*.o\n' });
    await client('git', '-C', 'menagerie', 'add', '.');
    const author = ['-c', 'user.name=lea', '-c', 'user.email=lea@example.org'];
    await client('git', ...author, '-C', 'menagerie', 'commit', '--quiet', '--message', 'An arm');
    await bring('https://github.com/deepmind/mujoco_menagerie', 'ada/from-git', {
      GIT_CONFIG_COUNT: '1',
      GIT_CONFIG_KEY_0: `url.file://${home}/menagerie.insteadOf`,
      GIT_CONFIG_VALUE_0: 'https://github.com/deepmind/mujoco_menagerie',
    });
    await rm(join(home, 'menagerie'), { recursive: true });
    await bring(`${files}/1.0/ada/models/Cafe%20Chair`, 'ada/props');
    await bring('list:files.txt', 'ada/menagerie');
    await source.end();
    await source.dispose();
    server.close();
  });
  afterAll(async () => {
    await service?.dispose();
    await rm(home, { recursive: true, force: true });
  });

  test('huggingface_hub takes a snapshot by HF_ENDPOINT, under the name that it had', async () => {
    env = { ...env, ...(await variables('ada/robots')) };
    const folder = await python(
      'from huggingface_hub import snapshot_download; print(snapshot_download("ada/robots"))',
    );
    for (const [path, text] of Object.entries(FILES))
      expect(await readFile(join(folder, path), 'utf8')).toBe(text);
  });

  test('huggingface_hub takes a snapshot from a service that asks another one, and again when that has ended', async () => {
    const upstream = await serve();
    const author = {
      HOME: home,
      BINDERY_API_URL: upstream.url,
      BINDERY_TOKEN: await createAuthor(upstream, 'lea'),
    };
    const folder = await written(join(home, 'public'), FILES);
    await bindery(['library', 'push', folder, 'lea/robots', '--visibility', 'public'], { env: author });
    const settings = { BINDERY_UPSTREAM_HF: `${upstream.url}/hf` };
    const edge = await serve({ env: settings });
    const asked = { HF_ENDPOINT: `${edge.url}/hf`, HF_TOKEN: await createAuthor(edge, 'bob') };
    const take = async (cache: string) => {
      const { stdout } = await run(
        CLIENTS_PYTHON,
        ['-c', 'from huggingface_hub import snapshot_download; print(snapshot_download("lea/robots"))'],
        { cwd: home, env: { ...env, ...asked, HF_HOME: join(home, cache) } },
      );
      for (const [path, text] of Object.entries(FILES))
        expect(await readFile(join(stdout.trim(), path), 'utf8')).toBe(text);
    };
    await take('first');
    await upstream.end();
    await take('second');
    await Promise.all([upstream.dispose(), edge.dispose()]);
  });

  test('Gazebo downloads a model by the address that it had, but for the host', async () => {
    const cache = join(home, 'fuel');
    await writeFile(
      join(home, 'fuel.yaml'),
      `---\nservers:\n  -\n    url: ${service.url}\n    private-token: ${token}\ncache:\n  path: ${cache}\n`,
    );
    await client(
      'ign',
      'fuel',
      'download',
      '-u',
      `${service.url}/1.0/ada/models/Cafe Chair`,
      '-c',
      'fuel.yaml',
    );
    const { stdout } = await client('find', cache, '-name', 'model.sdf');
    // It indents what it downloads.
    expect((await readFile(stdout.trim(), 'utf8')).replaceAll(/\n\s*/g, '')).toBe(SDF);
  });

  test('mujoco_menagerie loads a robot by MENAGERIE_BASE_URL', async () => {
    const settings = await variables('ada/menagerie');
    // Its client sends no token: mirrors of it are public.
    const owner = { HOME: home, BINDERY_API_URL: service.url, BINDERY_TOKEN: token };
    const opened = await bindery(['library', 'visibility', 'ada/menagerie', 'public'], { env: owner });
    expect(opened).toMatchObject({ exitCode: 0, stderr: expect.not.stringContaining('Error') });
    env = { ...env, ...settings, MENAGERIE_CACHE_DIR: join(home, 'cache') };
    const bodies = await python(`
import dataclasses, hashlib, pathlib, tarfile, mujoco, mujoco_menagerie as mm
extract = tarfile.TarFile.extractall
if not hasattr(tarfile, "data_filter"):  # Python before 3.11.4
    tarfile.TarFile.extractall = lambda self, path, filter: extract(self, path)
archive = pathlib.Path("arm-0123456789abcdef.tar.xz")
data = archive.read_bytes()
archive.unlink()
robot = dataclasses.replace(mm.get(list(mm.names())[0]), name="arm", oid="0123456789abcdef" * 2, asset=archive.name, sha256=hashlib.sha256(data).hexdigest(), download_size=len(data))
print(mujoco.MjModel.from_xml_path(str(mm.Cache().resolve(robot) / "arm.xml")).nbody)`);
    expect(bodies).toBe('2');
  });

  test('git and robot_descriptions clone a repository by the address that it had', async () => {
    const owner = { HOME: home, BINDERY_API_URL: service.url, BINDERY_TOKEN: token };
    await bindery(['library', 'visibility', 'ada/from-git', 'public'], { env: owner });
    env = { ...env, ...(await variables('ada/from-git')) };
    const address = 'https://github.com/deepmind/mujoco_menagerie.git';
    await client('git', 'clone', '--quiet', address, 'cloned');
    expect(await readFile(join(home, 'cloned/universal_robots_ur5e/ur5e.xml'), 'utf8')).toBe(ARM);
    const bodies = await python(`
from robot_descriptions.loaders.mujoco import load_robot_description
print(load_robot_description("ur5e_mj_description").nbody)`);
    expect(bodies.split('\n').at(-1)).toBe('2');
  });

  test('what reads an asset root by its address reads it here', async () => {
    const { ISAACSIM_ASSET_ROOT = '' } = await variables('ada/robots');
    const address = `${ISAACSIM_ASSET_ROOT}/Isaac/Props/${encodeURIComponent('größe 1.obj')}`;
    const { stdout } = await client('curl', '-sSf', '-u', `ada:${token}`, address);
    expect(stdout).toBe('v 0 0 0\n');
  });
});
