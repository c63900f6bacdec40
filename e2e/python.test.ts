import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
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
      const found = await python('print(bindery.pull("ada/kitchen", "signed-in").fetched)', {
        XDG_RUNTIME_DIR,
        DBUS_SESSION_BUS_ADDRESS,
      });
      expect(found).toBe(4);
    });
  });
});
