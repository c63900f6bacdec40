import { execFile } from 'node:child_process';
import { hash } from 'node:crypto';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { storeToken } from '../packages/sdk/src/credentials/stored-login.ts';
import { canRun } from '../packages/sdk/test/credentials/needed-programs.ts';
import {
  type KeyringSession,
  missingForKeyring,
  openKeyringSession,
  PYTHON,
  runs,
} from '../packages/sdk/test/credentials/secret-service-session.ts';
import { createAuthor } from './author.ts';
import { bindery, type RunningService, serve, temporaryFolder } from './bindery.ts';

const PACKAGE = fileURLToPath(new URL('../python', import.meta.url));
/** Real libraries, if they are next to the repository. */
const LIBRARIES = fileURLToPath(new URL('../../shared/data', import.meta.url));
const run = promisify(execFile);
/** Modules that build and install a package without a registry. */
const missingForPackages = () =>
  ['build', 'pip', 'setuptools', 'wheel']
    .filter((module) => !runs(PYTHON, ['-c', `import ${module}`]))
    .map((module) => `Python's ${module}`);

const missingForTypes = () => [
  ...(runs('mypy', ['--version']) ? [] : ['mypy']),
  ...(runs(PYTHON, ['-c', 'import yaml']) ? [] : ["Python's yaml"]),
  ...(runs(PYTHON, ['-c', 'from importlib.metadata import version; version("types-PyYAML")'])
    ? []
    : ["the types of Python's yaml"]),
];

describe.runIf(canRun('The Python package', missingForKeyring()))('the Python package', () => {
  let service: RunningService;
  let token: string;
  let folder: string;

  beforeAll(async () => {
    service = await serve();
    folder = await temporaryFolder();
    token = await createAuthor(service);
    for (const [path, text] of [
      ['bindery.yml', 'assets:\n  mug:\n    title: A mug\n    entry: mug/mug.obj\n'],
      ['mug/mug.obj', 'v 0 0 0\n'],
      ['mug/notes on mugs.txt', 'hot\n'],
      ['plate/plate.obj', 'v 1 1 1\n'],
    ] as const) {
      await mkdir(join(folder, 'kitchen', path, '..'), { recursive: true });
      await writeFile(join(folder, 'kitchen', path), text);
    }
    const pushed = await bindery(['library', 'push', join(folder, 'kitchen'), 'ada/kitchen'], {
      env: { BINDERY_TOKEN: token, BINDERY_API_URL: service.url, XDG_CACHE_HOME: join(folder, 'cache') },
    });
    expect(pushed).toMatchObject({ exitCode: 0 });
  });
  afterAll(async () => {
    await service.dispose();
    await rm(folder, { recursive: true, force: true });
  });

  /** Runs a script and returns its output, parsed as JSON. */
  async function python(script: string, environment: NodeJS.ProcessEnv): Promise<unknown> {
    const { stdout } = await run(PYTHON, ['-c', `import bindery, json\n${script}`], {
      cwd: folder,
      env: {
        PATH: process.env.PATH,
        HOME: folder,
        PYTHONPATH: PACKAGE,
        BINDERY_API_URL: service.url,
        ...environment,
      },
    });
    return JSON.parse(stdout);
  }

  test('passes its own tests', async () => {
    const { stderr } = await run(PYTHON, ['-m', 'unittest', 'discover', '-s', 'tests'], { cwd: PACKAGE });
    expect(stderr).toMatch(/Ran [1-9]\d* tests[\s\S]*\nOK\n/);
  });

  test.runIf(canRun('The types of the Python package', missingForTypes()))(
    'passes strict type checking',
    async () => {
      const words = ['--python-executable', PYTHON, '--cache-dir', join(folder, 'mypy')];
      // Errors are printed to stdout as well, with an exit code.
      const { stdout } = await run('mypy', words, { cwd: PACKAGE }).catch(
        (error: { stdout: string }) => error,
      );
      expect(stdout).toMatch(/^Success: no issues found in [1-9]\d+ source files\n$/);
    },
  );

  test.runIf(canRun('The types of the Python package', missingForTypes()))(
    'tells a type checker what an asset is loaded as',
    async () => {
      const stubs = join(folder, 'stubs');
      await mkdir(stubs);
      await writeFile(join(stubs, 'mujoco.pyi'), 'class MjModel: ...\nclass MjSpec: ...\n');
      const script = join(folder, 'loads.py');
      await writeFile(
        script,
        `import bindery
reveal_type(bindery.load("ada/robots/arm", "mujoco", refresh=True))
reveal_type(bindery.load("ada/robots/arm", "mujoco-spec"))
reveal_type(bindery.load("ada/robots/arm", "pybullet", useFixedBase=True))
bindery.load("ada/robots/arm", "blender")
`,
      );
      const options = ['--cache-dir', join(folder, 'mypy-loads'), '--ignore-missing-imports'];
      const words = ['--python-executable', PYTHON, ...options, script];
      const env = { PATH: process.env.PATH, HOME: folder, MYPYPATH: `${PACKAGE}:${stubs}` };
      const { stdout } = await run('mypy', words, { cwd: folder, env }).catch(
        (error: { stdout: string }) => error,
      );
      expect(stdout).toMatch(/:2: note: Revealed type is "mujoco\.MjModel"/);
      expect(stdout).toMatch(/:3: note: Revealed type is "mujoco\.MjSpec"/);
      expect(stdout).toMatch(/:4: note: Revealed type is "builtins\.int"/);
      expect(stdout).toMatch(/:5: error: No overload variant of "load" matches/);
    },
  );

  test('searches, inspects, pulls exactly one asset and reports it as up to date', async () => {
    const answer = await python(
      `pulled = bindery.pull("ada/kitchen", "out", asset="mug")
print(json.dumps({
  "hits": [hit.asset for hit in bindery.search("mug", "ada/kitchen").hits],
  "title": bindery.inspect("ada/kitchen", "mug").title,
  "entry": str(pulled.entry), "fetched": pulled.fetched, "again": bindery.pull("ada/kitchen", "out", asset="mug").fetched,
  "fresh": bindery.stat("ada/kitchen", "out", asset="mug").up_to_date,
  "missing": bindery.stat("ada/kitchen", "out").missing,
}))`,
      { BINDERY_TOKEN: token },
    );
    expect(answer).toEqual({
      hits: ['mug'],
      title: 'A mug',
      entry: 'out/mug/mug.obj',
      fetched: 2,
      again: 0,
      fresh: true,
      missing: ['plate/plate.obj', 'bindery.yml'],
    });
    expect(await readFile(join(folder, 'out/mug/notes on mugs.txt'), 'utf8')).toBe('hot\n');
  });

  describe('publishes from a script', () => {
    const account = () => ({ BINDERY_TOKEN: token });
    /** Runs a statement that has to fail, and returns what it says. */
    const refusal = (statement: string, environment: NodeJS.ProcessEnv = account()) =>
      python(
        `try:\n  ${statement}\nexcept (bindery.BinderyError, ValueError) as error:\n  print(json.dumps(str(error)))`,
        environment,
      );
    const manifest = async (library: string) => {
      const headers = { authorization: `Bearer ${token}` };
      const answer = await fetch(`${service.url}/namespaces/ada/libraries/${library}/manifest`, { headers });
      return (await answer.json()) as {
        assets: { id: string; title?: string; license?: string; files: { path: string }[] }[];
      };
    };
    const write = async (path: string, content: string | Uint8Array) => {
      await mkdir(join(folder, path, '..'), { recursive: true });
      await writeFile(join(folder, path), content);
    };

    test('a folder as one asset, without what is hidden, linked or secret', async () => {
      await write('jug/jug.obj', 'v 0 0 0\n');
      await write('jug/textures/jug blue.mtl', 'newmtl blue\n');
      await write('jug/.cache/old.obj', 'v 5 5 5\n');
      await write('jug/server.pem', '-----BEGIN PRIVATE KEY-----\n');
      await symlink('/etc/hostname', join(folder, 'jug/host'));
      const added = await python(
        `added = bindery.add("ada/made", "jug", create=True, title="A jug", license="CC0-1.0", tags="blue", kind="mesh", entry="jug.obj")
print(json.dumps([added.revision, added.sent, added.left_out, bindery.path("ada/made/jug").read_text()]))`,
        account(),
      );
      expect(added).toEqual([
        1,
        2,
        ['.cache (hidden)', 'host (link)', 'server.pem (likely secret)'],
        'v 0 0 0\n',
      ]);
      expect((await manifest('made')).assets).toMatchObject([
        {
          id: 'jug',
          title: 'A jug',
          license: 'CC0-1.0',
          tags: ['blue'],
          kind: 'mesh',
          entry: 'jug/jug.obj',
          files: [{ path: 'jug/jug.obj' }, { path: 'jug/textures/jug blue.mtl' }],
        },
      ]);
    });

    test('in place of an asset only if told to, and keeps what is not stated', async () => {
      await write('vase/vase.obj', 'v 0 0 0\n');
      await write('vase/LICENSE', 'MIT\n');
      const script =
        'print(bindery.add("ada/vases", "vase", create=True, title="A vase", license="MIT").revision)';
      expect(await python(script, account())).toBe(1);
      const before = await manifest('vases');
      await write('vase/vase.obj', 'v 1 1 1\n');
      expect(await refusal('bindery.add("ada/vases", "vase")')).toMatch(
        /^ada\/vases already has an asset 'vase'\. With replace=True,/,
      );
      expect(await manifest('vases')).toEqual(before);
      const replace = `added = bindery.add("ada/vases", "vase", replace=True, description="Tall")
print(json.dumps([added.revision, added.sent, added.removed]))`;
      expect(await python(replace, account())).toEqual([2, 1, []]);
      expect((await manifest('vases')).assets).toMatchObject([
        { title: 'A vase', license: 'MIT', description: 'Tall' },
      ]);
      expect(await python(replace, account())).toEqual([2, 0, []]);
      await rm(join(folder, 'vase/LICENSE'));
      expect(await python(replace, account())).toEqual([3, 0, ['title', 'license']]);
    });

    test('next to the assets of others, which it leaves as they are', async () => {
      const before = await manifest('kitchen');
      await write('output/spoon.obj', 'v 2 2 2\n');
      expect(await python('print(bindery.add("ada/kitchen", "output", asset="spoon").sent)', account())).toBe(
        1,
      );
      const { assets } = await manifest('kitchen');
      expect(assets.slice(0, -1)).toEqual(before.assets);
      expect(assets.at(-1)?.files).toMatchObject([{ path: 'spoon/spoon.obj' }]);
      const curation = join(folder, 'with-curation');
      await python(`bindery.pull("ada/kitchen", ${JSON.stringify(curation)}); print(1)`, account());
      expect(await readFile(join(curation, 'bindery.yml'), 'utf8')).toMatch(/title: A mug/);
      expect(await refusal('bindery.add("ada/kitchen", "output", asset="mug", replace=True)')).toMatch(
        /^The bindery\.yml of ada\/kitchen describes 'mug'.*'bindery library add --replace'/,
      );
      expect((await manifest('kitchen')).assets).toEqual(assets);
    });

    test('while others do the same', async () => {
      await write('first/first.obj', 'v 3 3 3\n');
      await write('second/second.obj', 'v 4 4 4\n');
      await python(
        'print(bindery.add("ada/together", "first", asset="zero", create=True).revision)',
        account(),
      );
      const script = `from concurrent.futures import ThreadPoolExecutor
with ThreadPoolExecutor() as pool:
  added = list(pool.map(lambda name: bindery.add("ada/together", name).revision, ["first", "second"]))
print(json.dumps(sorted(added)))`;
      expect(await python(script, account())).toEqual([2, 3]);
      const ids = (await manifest('together')).assets.map(({ id }) => id);
      expect(ids.sort()).toEqual(['first', 'second', 'zero']);
    });

    test('once, if the response to its register is lost', async () => {
      await write('lamp/lamp.obj', 'v 6 6 6\n');
      let registers = 0;
      const proxy = createServer(async (request, response) => {
        const body = Buffer.concat(await Array.fromAsync(request as AsyncIterable<Buffer>));
        const { authorization = '', 'content-type': type = '' } = request.headers;
        const headers = { authorization, 'content-type': type };
        const sent = { method: request.method ?? 'GET', ...(body.length > 0 && { body }) };
        const answer = await fetch(`${service.url}${request.url}`, { ...sent, headers });
        const content = Buffer.from(await answer.arrayBuffer());
        if (request.url?.endsWith('/register') && registers++ === 0) return request.socket.destroy();
        response.writeHead(answer.status, { 'content-type': 'application/json' }).end(content);
      });
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      try {
        const { port } = proxy.address() as AddressInfo;
        const script = 'print(bindery.add("ada/lamps", "lamp", create=True).revision)';
        const url = `http://127.0.0.1:${port}`;
        expect(await python(script, { ...account(), BINDERY_API_URL: url })).toBe(1);
      } finally {
        proxy.close();
        proxy.closeAllConnections();
      }
      expect(registers).toBe(2);
      expect((await manifest('lamps')).assets).toMatchObject([{ id: 'lamp' }]);
    });

    test('a file that is sent in parts, within little memory', async () => {
      await write('scan/scan.bin', Buffer.alloc(100 * 1024 * 1024, 'points '));
      const script = `import hashlib, resource
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
added = bindery.add("ada/scans", "scan", create=True)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
with open(bindery.path("ada/scans/scan"), "rb") as file:
  print(json.dumps([added.sent, grown < 50_000, hashlib.file_digest(file, "sha256").hexdigest()]))`;
      const sha256 = hash('sha256', await readFile(join(folder, 'scan/scan.bin')));
      expect(await python(script, account())).toEqual([1, true, sha256]);
    });

    test('nothing of what cannot be published, with the reason', async () => {
      await write('jug/jug.obj', 'v 0 0 0\n');
      await write('ruled/model.obj', 'v 0 0 0\n');
      await write('ruled/.gitignore', '*.tmp\n');
      const refused = async (words: string) => refusal(`bindery.add("ada/refused", ${words}, create=True)`);
      expect(await refused('"ruled"')).toMatch(/\.gitignore says what of the folder is published/);
      expect(await refused('"nowhere"')).toBe('There is no folder nowhere.');
      expect(await refused('"jug", entry="cup.obj"')).toMatch(/has no file 'cup\.obj' to be published/);
      expect(await refused('"jug", title="x" * 201')).toMatch(/title: at most 200 .*Nothing was published\./);
      expect(await refused('"jug", asset="a b"')).toMatch(/^invalid asset 'a b'/);
      expect(await refusal('bindery.add("ada/refused", "jug")')).toMatch(/^ada\/refused: /);
      const others = await createAuthor(service, 'eve');
      const denied = await refusal('bindery.add("ada/made", "jug")', { BINDERY_TOKEN: others });
      expect(denied).toMatch(/^ada\/made: /);
      const missing = await fetch(`${service.url}/namespaces/ada/libraries/refused`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(missing.status).toBe(404);
    });

    test('a release, also when it is asked for again', async () => {
      await write('bowl/bowl.obj', 'v 0 0 0\n');
      await python('print(bindery.add("ada/named", "bowl", create=True).revision)', account());
      await write('bowl/bowl.obj', 'v 1 1 1\n');
      await python('print(bindery.add("ada/named", "bowl", replace=True).revision)', account());
      const script = (words: string) => `made = bindery.release("ada/named", ${words})
print(json.dumps([made.address, made.revision, made.notes]))`;
      expect(await python(script('"v1", notes="First"'), account())).toEqual(['ada/named@v1', 2, 'First']);
      expect(await python(script('"v1", notes="Again"'), account())).toEqual(['ada/named@v1', 2, 'First']);
      expect(await python(script('"v0", revision=1'), account())).toEqual(['ada/named@v0', 1, null]);
      expect(await refusal('bindery.release("ada/named", "v1", revision=1)')).toMatch(/v1/);
      expect(await refusal('bindery.release("ada/nothing", "v1")')).toMatch(/^ada\/nothing: /);
      expect(await refusal('bindery.release("ada/named", "latest")')).toBe("invalid release 'latest'");
      const read = 'print(json.dumps(bindery.path("ada/named@v0/bowl").read_text()))';
      expect(await python(read, account())).toBe('v 0 0 0\n');
    });
  });

  test('opens an asset by the name of one of its entry points', async () => {
    for (const [path, text] of [
      [
        'bindery.yml',
        'assets:\n  arm:\n    entry: arm/arm.xml\n    entryPoints:\n      scene: {file: arm/scene.xml}\n      hand: {file: arm/hand.xml}\n',
      ],
      ['arm/arm.xml', '<mujoco model="arm"/>\n'],
      ['arm/scene.xml', '<mujoco model="scene"/>\n'],
      ['arm/hand.xml', '<mujoco model="hand"/>\n'],
    ] as const) {
      await mkdir(join(folder, 'robots', path, '..'), { recursive: true });
      await writeFile(join(folder, 'robots', path), text);
    }
    const env = { BINDERY_TOKEN: token, BINDERY_API_URL: service.url, XDG_CACHE_HOME: join(folder, 'cache') };
    expect(await bindery(['library', 'push', join(folder, 'robots'), 'ada/robots'], { env })).toMatchObject({
      exitCode: 0,
    });
    const script = `said = []
for words in [{"entry_point": "lamp"}, {"entry_point": "scene", "file": "arm/arm.xml"}]:
  try: bindery.path("ada/robots/arm", **words)
  except (bindery.BinderyError, ValueError) as error: said.append(str(error))
print(json.dumps([bindery.path("ada/robots/arm", entry_point="scene").name, bindery.path("ada/robots/arm").name, *said]))`;
    expect(await python(script, { BINDERY_TOKEN: token })).toEqual([
      'scene.xml',
      'arm.xml',
      "ada/robots/arm has no entry point 'lamp'; it has 'hand', 'scene'.",
      'entry_point and file are mutually exclusive',
    ]);
  });

  test('restores a file that was changed, and leaves unrelated files alone', async () => {
    await python('bindery.pull("ada/kitchen", "again"); print(1)', { BINDERY_TOKEN: token });
    await writeFile(join(folder, 'again/mug/mug.obj'), 'v 9 9 9\n');
    await writeFile(join(folder, 'again/mine.txt'), 'mine');
    const fetched = await python('print(bindery.pull("ada/kitchen", "again").fetched)', {
      BINDERY_TOKEN: token,
    });
    expect(fetched).toBe(1);
    expect(await readFile(join(folder, 'again/mug/mug.obj'), 'utf8')).toBe('v 0 0 0\n');
    expect(await readFile(join(folder, 'again/mine.txt'), 'utf8')).toBe('mine');
  });

  test('gets not_found for a private library as for a missing one', async () => {
    const script = (library: string) =>
      `try:\n  bindery.inspect("${library}", "mug")\nexcept bindery.NotFound as error:\n  print(json.dumps(error.code))`;
    const anonymous = { PYTHON_KEYRING_BACKEND: 'keyring.backends.null.Keyring' };
    expect(await python(script('ada/kitchen'), anonymous)).toBe('not_found');
    expect(await python(script('ada/nothing'), anonymous)).toBe('not_found');
  });

  test('has examples that run, or name the missing asset or Python module', async () => {
    const example = async (file: string, ...words: string[]) => {
      const env = {
        PATH: process.env.PATH,
        HOME: folder,
        PYTHONPATH: PACKAGE,
        BINDERY_API_URL: service.url,
        BINDERY_TOKEN: token,
      };
      return run(PYTHON, [join(PACKAGE, 'examples', file), ...words], { cwd: folder, env }).catch(
        (error) => error,
      );
    };
    const plain = await example('size_of_an_asset.py', 'ada/kitchen/mug');
    expect(plain.stdout).toMatch(/^mug\.obj: 8 bytes, in .*\/assets\/[0-9a-f]{64}\/mug\n$/);
    expect((await example('size_of_an_asset.py', 'ada/kitchen/nothing')).stderr).toMatch(
      /^ada\/kitchen has no asset/,
    );
    for (const [file, module] of [
      ['simulate_a_robot.py', 'mujoco'],
      ['measure_a_mesh.py', 'trimesh'],
    ] as const) {
      const { stdout, stderr } = await example(file, 'ada/kitchen/mug');
      if (!runs(PYTHON, ['-c', `import ${module}`]))
        expect(stderr).toMatch(new RegExp(`missing: pip install ${module}`));
      else expect(stdout + stderr).not.toBe('');
    }
  });

  describe.runIf(canRun('Packages of Python', missingForPackages()))('built and installed', () => {
    let packages: string;

    beforeAll(async () => {
      // In a copy, because a build leaves files next to its sources.
      packages = await temporaryFolder();
      const source = join(packages, 'source');
      await cp(PACKAGE, source, { recursive: true });
      await run(PYTHON, ['-m', 'build', '--no-isolation', '--outdir', join(packages, 'dist'), source]);
    });
    afterAll(() => rm(packages, { recursive: true, force: true }));

    test.each([
      ['wheel', '.whl'],
      ['sdist', '.tar.gz'],
    ])('from a %s, pulls an asset in an empty virtual environment', async (kind, ending) => {
      const [file = '', ...more] = (await readdir(join(packages, 'dist'))).filter((name) =>
        name.endsWith(ending),
      );
      expect(more).toEqual([]);
      const environment = join(packages, kind);
      const python = join(environment, 'bin/python');
      await run(PYTHON, ['-m', 'venv', '--without-pip', environment]);
      await run(
        PYTHON,
        [
          '-m',
          'pip',
          '--python',
          python,
          'install',
          '--no-index',
          '--no-deps',
          '--no-build-isolation',
          join(packages, 'dist', file),
        ],
        // The build tools are those of the system; the virtual environment has none.
        { env: { PATH: process.env.PATH, HOME: folder, PYTHONPATH: '/usr/lib/python3/dist-packages' } },
      );
      const script = `import bindery, json, pathlib, importlib.metadata
home = pathlib.Path(bindery.__file__).parent
pulled = bindery.pull("ada/kitchen", "from-${kind}", asset="mug")
print(json.dumps({
  "fetched": pulled.fetched, "home": str(home), "typed": (home / "py.typed").exists(),
  "needs": [need for need in importlib.metadata.requires("bindery") or [] if "extra ==" not in need],
  "file_systems": {found.name: found.value for found in importlib.metadata.entry_points(group="fsspec.specs")},
  "license": (importlib.metadata.distribution("bindery").read_text("LICENSE") or "")[:200],
}))`;
      const { stdout } = await run(python, ['-I', '-c', script], {
        cwd: folder,
        env: { HOME: folder, BINDERY_API_URL: service.url, BINDERY_TOKEN: token },
      });
      expect(JSON.parse(stdout)).toEqual({
        fetched: 2,
        home: expect.stringContaining(environment),
        typed: true,
        needs: [],
        file_systems: { bindery: 'bindery._fsspec:BinderyFileSystem' },
        license: expect.stringContaining('Apache License'),
      });
    });
  });

  test('has the same licence file as the project', async () => {
    const own = await readFile(join(PACKAGE, 'LICENSE'), 'utf8');
    expect(own).toBe(await readFile(join(PACKAGE, '../LICENSE'), 'utf8'));
  });

  test.runIf(existsSync(LIBRARIES))('pulls real libraries byte for byte', async () => {
    for (const library of ['lowpoly-dev', 'splat-dev', 'urdf-dev', 'gltf-dev']) {
      const source = join(LIBRARIES, library);
      const env = {
        BINDERY_TOKEN: token,
        BINDERY_API_URL: service.url,
        XDG_CACHE_HOME: join(folder, 'cache'),
      };
      expect(await bindery(['library', 'push', source], { env })).toMatchObject({ exitCode: 0 });
      await python(`bindery.pull("ada/${library}", "${library}"); print(1)`, { BINDERY_TOKEN: token });
      const { stdout } = await run('diff', ['-r', source, join(folder, library)]);
      expect(stdout).toBe('');
    }
  });

  describe('with a keyring', () => {
    let session: KeyringSession;
    beforeAll(async () => {
      session = await openKeyringSession();
    });
    afterAll(() => session.close());

    test('uses the login that the command line stored there', async () => {
      await storeToken(token, {
        folder: join(folder, 'config'),
        environment: session.environment,
        warn: () => {},
      });
      const { XDG_RUNTIME_DIR, DBUS_SESSION_BUS_ADDRESS } = session.environment;
      const found = await python('print(bindery.pull("ada/kitchen", "signed-in", asset="mug").fetched)', {
        XDG_RUNTIME_DIR,
        DBUS_SESSION_BUS_ADDRESS,
      });
      expect(found).toBe(2);
    });
  });
});
