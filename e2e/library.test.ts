import { execSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createAuthor } from './author.ts';
import { bindery, type CommandResult, type RunningService, serve, temporaryFolder } from './bindery.ts';

const DATA = fileURLToPath(new URL('../../shared/data', import.meta.url));
const REAL_LIBRARIES = ['menagerie-dev', 'gltf-dev', 'urdf-dev', 'splat-dev', 'lowpoly-dev'];
const YAML = 'library: { title: Two robots }\nassets: { arm: { description: A small arm, license: MIT } }\n';
const FILES = {
  'arm/arm.xml': '<mujoco model="arm"/>',
  'arm/meshes/link 1.obj': 'o link',
  'hand/hand.glb': 'hand',
  'bindery.yml': YAML,
};

let service: RunningService;
let home: string;
let token: string;
beforeAll(async () => {
  service = await serve();
  home = await temporaryFolder();
  token = await createAuthor(service);
});
afterAll(async () => {
  await service.dispose();
  await rm(home, { recursive: true, force: true });
});

/** Runs `bindery library …` as ada. */
function library(...words: string[]): Promise<CommandResult> {
  return typed(['library', ...words], { BINDERY_TOKEN: token });
}

function anonymousLibrary(...words: string[]): Promise<CommandResult> {
  return typed(['library', ...words], {});
}

function typed(words: string[], env: Record<string, string>): Promise<CommandResult> {
  const settings = {
    HOME: home,
    XDG_CACHE_HOME: '',
    XDG_STATE_HOME: '',
    XDG_CONFIG_HOME: '',
    BINDERY_NO_KEYCHAIN: '1',
  };
  return bindery(words, { env: { ...settings, BINDERY_API_URL: service.url, ...env } });
}

let made = 0;
/** Creates a folder of robots with a unique name. */
async function robots(): Promise<{ folder: string; name: string }> {
  const name = `robots-${++made}`;
  const folder = join(home, name);
  for (const [path, content] of Object.entries(FILES)) {
    await mkdir(join(folder, path, '..'), { recursive: true });
    await writeFile(join(folder, path), content);
  }
  return { folder, name: `ada/${name}` };
}

async function publishedRobots() {
  const { folder, name } = await robots();
  expect(await library('push', folder)).toMatchObject({ exitCode: 0 });
  return { folder, name, target: join(home, `${basename(folder)}-pulled`) };
}

/** Returns the files of a folder with their content. */
async function contents(folder: string): Promise<Record<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name));
  const read = files.map(
    async (file) => [file.slice(folder.length + 1), await readFile(file, 'base64')] as const,
  );
  return Object.fromEntries(await Promise.all(read));
}

describe.skipIf(!existsSync(DATA))('real libraries (../shared/data)', () => {
  test.each(REAL_LIBRARIES)('%s is pulled byte for byte as it was pushed', async (name) => {
    const pushed = await library('push', join(DATA, name), '--json');
    expect(pushed.exitCode, pushed.stderr).toBe(0);
    const target = join(home, `${name}-pulled`);
    const pulled = await library('pull', `ada/${name}`, '-o', target, '--json');
    expect(pulled.exitCode, pulled.stderr).toBe(0);
    expect(await contents(target)).toEqual(await contents(join(DATA, name)));
    expect(await library('stat', `ada/${name}`, '-o', target)).toMatchObject({
      exitCode: 0,
      stdout: 'up-to-date\n',
    });
    const again = await library('push', join(DATA, name), '--json');
    expect(JSON.parse(again.stdout)).toMatchObject({ status: 'unchanged', revision: 1 });
  });
});

describe('push', () => {
  test('shows its plan with --dry-run, publishes it, and then finds nothing to do', async () => {
    const { folder, name } = await robots();
    const plan = await library('push', folder, '--dry-run');
    expect(plan.stdout).toBe(
      ['added  arm', 'added  hand', '2 assets added', '3 files added', '3 files (31 B) to upload\n'].join(
        '\n',
      ),
    );
    expect(await library('info', name)).toMatchObject({ exitCode: 5 });
    const first = await library('push', folder);
    expect(first.stdout).toBe(`Published revision 1 of ${name}: 2 assets added, 3 files (31 B) uploaded.\n`);
    expect(first.stderr).toContain('1 asset has no licence; bindery.yml can state one.\n');
    expect((await library('push', folder)).stdout).toBe(`${name} is up to date (revision 1, 2 assets).\n`);
  });

  test('accepts the library as one argument or as two options, but not both', async () => {
    const { folder } = await robots();
    const words = ['--namespace', 'ada', '--library', 'chosen'];
    expect(JSON.parse((await library('push', folder, ...words, '--json')).stdout)).toMatchObject({
      library: 'ada/chosen',
    });
    expect(await library('push', folder, 'ada/chosen', ...words)).toMatchObject({ exitCode: 2 });
  });

  test('that would delete what someone else may have published exits with 6 and names it, unless forced', async () => {
    const { folder, name } = await publishedRobots();
    const other = join(home, 'other');
    await cp(join(folder, 'hand'), join(other, 'hand'), { recursive: true });
    const stopped = await library('push', other, name);
    expect(stopped).toMatchObject({
      exitCode: 6,
      stderr: expect.stringMatching(
        /from it:\n {2}arm\nPull first with "bindery library pull \S+ --keep -o <dir>", which keeps what you edited, or/,
      ),
    });
    expect(await library('push', other, name, '--force', '--yes')).toMatchObject({ exitCode: 0 });
  });

  test('that would remove a text or licence lists it and needs --yes where nobody can be asked', async () => {
    const { folder } = await publishedRobots();
    await writeFile(join(folder, 'bindery.yml'), 'library: { title: Two robots }\n');
    const lists = 'Warning: arm loses its description, license\n';
    expect((await library('push', folder, '--dry-run')).stderr).toContain(lists);
    expect(await library('push', folder)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: `${lists}Error: Remove 1 text and 1 licence from the library? This is not a terminal.\nAdd --yes to go ahead without a prompt.\n`,
    });
    expect(await library('push', folder, '--yes')).toMatchObject({ exitCode: 0 });
  });

  test('lists what ignore files leave out, with the rule, and publishes none of it', async () => {
    const { folder, name } = await robots();
    await writeFile(join(folder, '.gitignore'), '*.log\n');
    await writeFile(join(folder, 'arm/run.log'), 'log');
    await writeFile(join(folder, 'hand/id_rsa'), 'key');
    const { stderr } = await library('push', folder, '--exclude', 'arm/meshes');
    expect(stderr).toContain('Left out by your rules: 2 files and folders:\n');
    expect(stderr).toContain('  arm/run.log (ignored by .gitignore:1 (*.log))\n');
    expect(stderr).toContain('  arm/meshes (excluded by arm/meshes)\n');
    expect(stderr).toContain('Warning: hand/id_rsa was left out: a likely secret\n');
    await library('pull', name, '-o', join(home, `${name}-pulled`));
    expect(await readdir(join(home, `${name}-pulled/arm`))).toEqual(['arm.xml']);
    expect(await readdir(join(home, `${name}-pulled/hand`))).toEqual(['hand.glb']);
  });

  test('with an invalid bindery.yml reports the line and column of the error', async () => {
    const { folder } = await robots();
    await writeFile(join(folder, 'bindery.yml'), 'library:\n  titel: Robots\n');
    expect(await library('push', folder)).toMatchObject({
      exitCode: 2,
      stdout: '',
      stderr: 'Error: bindery.yml:2:3: unknown key "titel" in library\n',
    });
  });

  test('exits with 4 without a token, and with 5 if the namespace does not exist', async () => {
    const { folder } = await robots();
    expect(await anonymousLibrary('push', folder, 'ada/x')).toMatchObject({ exitCode: 4 });
    expect(await library('push', folder, 'nobody/x')).toMatchObject({ exitCode: 5 });
  });
});

describe('the address of a hit', () => {
  test('is accepted by the commands that read, change or pull one asset', async () => {
    const { name } = await publishedRobots();
    const [hit = ''] = (await library('search', 'arm', '--library', name)).stdout.split('  ');
    expect(hit).toBe(`${name}/arm`);
    expect((await library('info', hit)).stdout).toMatch(new RegExp(`^asset +${hit}\n`));
    expect((await library('info', hit, '--asset', 'hand')).stderr).toContain('The asset is given twice.');
    expect((await library('credits', hit)).stdout).not.toContain('hand');
    expect((await library('ls', hit)).stdout).toMatch(
      /^\d+ B {2}[0-9a-f]{12} {2}arm\/arm\.xml\n[^\n]*link 1\.obj\n$/,
    );
    const target = join(home, 'one');
    await library('pull', hit, '-o', target);
    expect(await readdir(target)).toEqual(['arm']);
    expect(await library('stat', hit, '-o', target)).toMatchObject({ exitCode: 0, stdout: 'up-to-date\n' });
    await library('release', name, 'v1');
    expect((await library('info', `${name}@v1/arm`)).stdout).toContain(`${name}@v1/arm`);
    expect(await library('rm', hit, '--yes')).toMatchObject({ exitCode: 0 });
    expect((await library('ls', name, '-q')).stdout).not.toContain('arm/');
  });

  test('is a usage error where a whole library is needed', async () => {
    const { name } = await publishedRobots();
    expect(await library('share', `${name}/arm`)).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining(`this is about a whole library: ${name}.`),
    });
  });
});

test('url prints addresses that answer, of a library, a release, an asset and a file', async () => {
  const { folder, name } = await robots();
  const run = (...words: string[]) => typed(words, { BINDERY_TOKEN: token });
  const raw = `${service.url}/raw/${name}`;
  expect((await run('push', folder)).stderr).toContain(`Its files stay at ${raw}/\n`);
  await library('release', name, 'v1');
  const asset = await run('url', `${name}@v1/hand`);
  expect(asset.stdout).toBe(`${raw}@v1/hand/hand.glb\n`);
  expect(asset.stderr).toContain(`${raw}@v1/hand.zip\n`);
  expect(await run('url', `${name}/hand/hand.glb`)).toMatchObject({ stdout: `${raw}/hand/hand.glb\n` });
  expect(await run('url', `${name}@v1`)).toMatchObject({ stdout: `${raw}@v1/\n` });
  for (const path of ['/', '@v1/', '@v1/hand/hand.glb', '@v1/hand.zip', '/hand/hand.glb']) {
    const { status } = await fetch(raw + path, { headers: { authorization: `Bearer ${token}` } });
    expect([path, status]).toEqual([path, 200]);
  }
  const shared = await library('share', name);
  const [, url = ''] = /Its files: (\S+)/.exec(shared.stderr) ?? [];
  expect((await fetch(url)).status).toBe(200);
  const played = async () => (await run('url', `${name}@v1/arm`)).stderr;
  expect(await played()).not.toContain('live.mujoco.org');
  await library('visibility', name, 'public');
  const [, live = ''] = /In a browser: (\S+)/.exec(await played()) ?? [];
  const model = new URL(live).searchParams.get('model') ?? '';
  expect([model, (await fetch(model)).status]).toEqual([`${raw}@v1/arm.mjz`, 200]);
  for (const missing of ['/nothing', '/hand/nothing.glb', '@v9', '@v9/hand'])
    expect([missing, (await run('url', name + missing)).exitCode]).not.toEqual([missing, 0]);
});

test('url --env prints words of a shell that run nothing, whatever folders are called', async () => {
  const { folder, name } = await robots();
  const odd = join(folder, "hand/a'; touch ran; '$(touch ran)");
  await mkdir(odd, { recursive: true });
  await writeFile(join(odd, 'hand-0123456789abcdef.tar.xz'), 'archive');
  await writeFile(join(folder, 'bindery.yml'), 'assets: {archives: {files: ["hand/*/*.xz"]}}\n');
  await typed(['push', folder], { BINDERY_TOKEN: token });
  const { stdout } = await typed(['url', name, '--env'], { BINDERY_TOKEN: token });
  expect(stdout).toContain('MENAGERIE_BASE_URL');
  const printed = execSync(`${stdout}\necho "$MENAGERIE_BASE_URL"; ls`, { cwd: odd, encoding: 'utf8' });
  expect(printed.split('\n').slice(1)).toEqual(['hand-0123456789abcdef.tar.xz', '']);
  expect(decodeURIComponent(printed)).toContain(
    `${service.url}/raw/${name}/hand/a'; touch ran; '$(touch ran)`,
  );
});

test('push, pull, info and ls are commands of their own, and a push and a share token name the page', async () => {
  const { folder, name } = await robots();
  const run = (...words: string[]) => typed(words, { BINDERY_TOKEN: token });
  expect((await run('push', folder)).stderr).toContain(`See it at ${service.url}/app/${name}\n`);
  expect((await run('info', name)).stdout).toContain('Two robots');
  expect((await run('ls', name, '--json')).stdout).toContain('hand/hand.glb');
  const { stdout, stderr } = await library('share', name);
  expect(stderr).toContain(`In a browser: ${service.url}/app/${name}?share=${stdout.trim()}\n`);
  const inside = await bindery(['pull', name], {
    cwd: home,
    env: {
      HOME: home,
      XDG_CACHE_HOME: '',
      XDG_STATE_HOME: '',
      XDG_CONFIG_HOME: '',
      BINDERY_NO_KEYCHAIN: '1',
      BINDERY_API_URL: service.url,
      BINDERY_TOKEN: token,
    },
  });
  expect(inside.stdout).toContain(`up to date in ${folder}`);
});

describe('two people', () => {
  test("are stopped before undoing each other's changes, and told to pull first or use --force", async () => {
    const { folder, name, target } = await publishedRobots();
    await library('pull', name, '-o', target);
    await writeFile(join(folder, 'arm/meshes/link 1.obj'), 'o finer link');
    await library('push', folder);
    await writeFile(join(target, 'hand/hand.glb'), 'softer hand');
    const stopped = await library('push', target, name);
    expect(stopped).toMatchObject({
      exitCode: 6,
      stdout: '',
      stderr: expect.stringMatching(
        new RegExp(
          `:\\n {2}arm \\(changed there\\)\nPull first with "bindery library pull ${name} --keep -o <dir>"`,
        ),
      ),
    });
    expect((await library('push', target, name, '--dry-run')).stderr).toContain('this push would stop');
    const kept = await library('pull', name, '--keep', '-o', target);
    expect(kept.stdout).toContain(', 1 local edit kept.');
    expect(kept.stderr).toBe(
      '1 file was replaced by what others published:\n  arm/meshes/link 1.obj\n' +
        'Warning: 1 file was edited here and kept:\n  hand/hand.glb\n',
    );
    expect(await library('push', target, name)).toMatchObject({ exitCode: 0 });
    await writeFile(join(target, 'arm/arm.xml'), '<mujoco model="mine"/>');
    const pulled = await library('pull', name, '-o', target);
    const [, aside, restore = ''] =
      /^Warning: 1 file was moved to (\S+) and replaced here; --keep keeps such files:\n {2}arm\/arm\.xml\nRestore them within 30 days: (.*)\n$/.exec(
        pulled.stderr,
      ) ?? [];
    expect(aside).toMatch(/\/\.bindery\/replaced\/[\dTZ-]+$/);
    expect(await readFile(join(target, 'arm/arm.xml'), 'utf8')).not.toContain('mine');
    execSync(restore);
    expect(await readFile(join(target, 'arm/arm.xml'), 'utf8')).toBe('<mujoco model="mine"/>');
  });
});

describe('pull and stat', () => {
  test('list what --prune deletes and what --keep does not restore, and refuse --keep with --force', async () => {
    const { folder, name, target } = await publishedRobots();
    await library('pull', name, '-o', target);
    await rm(join(target, 'arm/meshes/link 1.obj'));
    const kept = await library('pull', name, '--keep', '-o', target);
    expect(kept.stdout).toContain(': 3 unchanged, 1 not restored.');
    expect(kept.stderr).toMatch(
      /^Warning: 1 file was deleted here and not restored; .*:\n {2}arm\/meshes\/link 1\.obj\n$/,
    );
    await rm(join(folder, 'hand'), { recursive: true });
    await library('push', folder, name);
    const pruned = await library('pull', name, '--prune', '-o', target);
    expect(pruned.stderr).toBe(
      'Warning: 1 file was removed from the library and deleted here:\n  hand/hand.glb\n',
    );
    expect(existsSync(join(target, 'hand'))).toBe(false);
    expect(await library('pull', name, '--keep', '--force', '-o', target)).toMatchObject({ exitCode: 2 });
  });

  test('write nothing where other programs find what they run, whatever links lead there', async () => {
    const { name } = await publishedRobots();
    await mkdir(join(home, 'clone/.git/hooks'), { recursive: true });
    await symlink(join(home, 'clone/.git/hooks'), join(home, 'innocent'));
    for (const folder of ['clone/.git/hooks', 'clone/.vscode', 'innocent/robots', '.ssh']) {
      expect(await library('pull', name, '-o', join(home, folder))).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('where other programs find what they run or trust.'),
      });
    }
    expect(await readdir(join(home, 'clone/.git/hooks'))).toEqual([]);
    expect(existsSync(join(home, '.ssh'))).toBe(false);
  });

  test('handle one asset, several by pattern or the whole library, and report what is still missing', async () => {
    const { folder, name, target } = await publishedRobots();
    expect(await library('stat', name, '-o', target)).toMatchObject({
      exitCode: 1,
      stdout: 'absent: 4 files, 122 B to fetch\n',
    });
    expect(await library('pull', name, '--asset', 'hand', '-o', target)).toMatchObject({ exitCode: 0 });
    expect(await readdir(target)).toEqual(['hand']);
    expect(await library('stat', name, '--asset', 'hand', '-o', target)).toMatchObject({ exitCode: 0 });
    expect(await library('stat', name, '-o', target)).toMatchObject({
      exitCode: 1,
      stdout:
        'stale: 3 files, 118 B to fetch\n  arm/arm.xml (only there)\n  arm/meshes/link 1.obj (only there)\n  bindery.yml (only there)\n',
    });
    await library('pull', name, '-o', target);
    expect(await contents(target)).toEqual(await contents(folder));
    await library('pull', name, '--all', '-o', target);
    expect(await readFile(join(target, '.bindery/source/bindery.yml'), 'utf8')).toBe(YAML);
    expect(await library('pull', name, '--asset', 'ghost', '-o', target)).toMatchObject({ exitCode: 5 });
    await rm(target, { recursive: true });
    await library('pull', name, '--asset', 'a*', '--asset', 'hand', '-o', target);
    expect(await readdir(target)).toEqual(['arm', 'hand']);
    expect(await library('stat', name, '--asset', '{arm,hand}', '-o', target)).toMatchObject({ exitCode: 0 });
    expect(await library('pull', name, '--asset', 'x*', '-o', target)).toMatchObject({ exitCode: 5 });
  });

  test('work with a share token, and not without one or after sharing is turned off', async () => {
    const { name, target } = await publishedRobots();
    const shared = await library('share', name);
    const share = shared.stdout.trim();
    expect(shared.stderr).toContain(`bindery library pull ${name} --share <token>`);
    expect(await anonymousLibrary('pull', name, '-o', target)).toMatchObject({ exitCode: 5 });
    expect(await anonymousLibrary('pull', name, '--share', share, '-o', target)).toMatchObject({
      exitCode: 0,
    });
    await library('share', name, '--off');
    expect(await anonymousLibrary('stat', name, '--share', share, '-o', target)).toMatchObject({
      exitCode: 5,
    });
  });
});

describe('search, list, info and credits', () => {
  test('print one line per hit, and with --json the response of the service', async () => {
    const { name } = await publishedRobots();
    expect(await library('search', 'small', '--library', name)).toMatchObject({
      stdout: `${name}/arm  1  mjcf  MIT  -\n`,
      stderr: expect.stringMatching(
        /^1 of 1 hits · semantic off\nBy keyword alone \(encoder-unavailable: the service has no model .*\)\.\n$/,
      ),
    });
    expect((await library('search', '', '--library', name)).stderr).toBe('2 of 2 hits · semantic off\n');
    expect((await library('search', 'small', '--library', name, '-q')).stderr).toBe('');
    const explained = await library('search', 'small', '--library', name, '--explain');
    expect(explained.stdout).toMatch(/\n {4}keywords \d.*: small…? in \w+ \d/);
    const explainedHits = JSON.parse(
      (await library('search', 'small', '--library', name, '--explain', '--json')).stdout,
    ).hits;
    expect(explainedHits[0].explain.terms[0]).toMatchObject({ term: 'small' });
    const { stdout } = await library('search', 'arm', '--library', name, '--library', 'no/where', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      total: 1,
      skipped: [{ library: 'no/where', reason: 'not_found' }],
    });
    const response = await fetch(
      `${service.url}/namespaces/${name.replace('/', '/libraries/')}/search?q=arm`,
      {
        headers: { authorization: `Bearer ${token}` },
      },
    );
    expect((await library('search', 'arm', '--library', name, '--json')).stdout).toBe(await response.text());
  });

  test('search all libraries by relevance if none is named', async () => {
    const { name } = await publishedRobots();
    const { stdout } = await library('search', 'samll', '--json');
    const { hits, didYouMean } = JSON.parse(stdout);
    expect(didYouMean).toBe('small');
    expect(hits.map((hit: { assetId: string }) => hit.assetId)).toContain('arm');
    const short = await typed(['search', 'samll'], { BINDERY_TOKEN: token });
    expect(short.stdout).toContain(`${name}/arm  `);
    expect(short.stderr).toContain('Did you mean: small\n');
    const ranked = await library('search', 'smalls', '--library', name, '--rank', 'relevance', '--explain');
    expect(ranked.stdout).toContain('\n    "smalls" in description (+');
    expect(await library('search', 'arm', '--rank', 'specified')).toMatchObject({ exitCode: 2 });
  });

  test('that find nothing of a licence say which licences there are', async () => {
    const { name } = await publishedRobots();
    const here = await library('search', '', '--library', name, '--license', 'Zlib');
    expect(here.stderr).toContain('Nothing has this licence. The licences here are: MIT.\n');
    const everywhere = await library('search', 'small', '--license', 'Zlib');
    expect(everywhere.stderr).toMatch(/Nothing has this licence\. The licences here are: .*MIT/);
  });

  test('filter by more than the specification has, by options or by words of the query', async () => {
    const { name } = await publishedRobots();
    const found = (...words: string[]) => library('search', ...words, '--library', name);
    expect((await found('', '--license', 'permissive')).stdout).toBe(`${name}/arm  0  mjcf  MIT  -\n`);
    expect((await found('', '--size', '1kB..')).stderr).toContain(
      'Nothing has this size. The sizes here are: up to 1 MB. Without it there are 2 hits.\n',
    );
    const words = await found('arm under 5 MB', '--rank', 'relevance');
    expect(words.stdout).toContain(`${name}/arm`);
    expect(words.stderr).toContain('Filtered by "under 5 MB" (size up to 5 MB).');
    expect(await found('', '--size', '5 apples')).toMatchObject({ exitCode: 2 });
    expect(await found('', '--rank', 'specified', '--joints', '6')).toMatchObject({ exitCode: 2 });
  });

  test('accept repeated filters, sorting and facets only with --rank relevance', async () => {
    const { name } = await publishedRobots();
    const found = (...words: string[]) => library('search', '', '--library', name, ...words);
    const relevance = ['--rank', 'relevance'];
    const both = await found(...relevance, '--kind', 'mjcf', '--kind', 'MESH', '--sort', 'title', '--facets');
    expect(both.stdout).toBe(`${name}/arm  0  mjcf  MIT  -\n${name}/hand  0  mesh  -  -\n`);
    expect(both.stderr).toContain('\nlicense: MIT 1\n');
    expect(both.stderr).toContain(`library: ${name} 2\n`);
    expect((await found(...relevance, '--sort', 'size', '--limit', '1')).stdout).toContain(`${name}/arm  `);
    for (const words of [['--sort', 'title'], ['--facets'], ['--tag', 'a', '--tag', 'b']]) {
      expect(await found(...words)).toMatchObject({
        exitCode: 2,
        stderr: expect.stringContaining('Add --rank relevance.'),
      });
    }
  });

  test('match a licence and a kind in any letter case, but not by prefix', async () => {
    const { name } = await publishedRobots();
    const found = async (...words: string[]) =>
      (await library('search', '', '--library', name, '-q', ...words)).stdout;
    expect(await found('--license', 'mit')).toBe(`${name}/arm  0  mjcf  MIT  -\n`);
    expect(await found('--license', 'MIT', '--kind', 'MJCF')).toBe(await found('--license', 'mit'));
    expect(await found('--license', 'mi')).toBe('');
    const both = await library('search', '', '--library', name, '--library', 'no/where', '--license', 'Mit');
    expect(both.stdout).toContain(`${name}/arm  0`);
  });

  test('match a tag as it is spelled, and with --rank relevance in any letter case', async () => {
    const { folder, name } = await publishedRobots();
    await writeFile(join(folder, 'bindery.yml'), 'assets: { arm: { tags: [ROS2] } }\n');
    await library('push', folder, name, '--yes');
    const found = async (...words: string[]) =>
      (await library('search', '', '--library', name, '-q', ...words)).stdout;
    expect(await found('--tag', 'ROS2')).toContain(`${name}/arm  `);
    expect(await found('--rank', 'relevance', '--tag', 'ros2')).toContain(`${name}/arm  `);
    expect(await found('--tag', 'ros')).toBe('');
  });

  test('show titles, full paths and short hashes', async () => {
    const { folder, name } = await publishedRobots();
    await writeFile(
      join(folder, 'bindery.yml'),
      'assets: { arm: { title: Left arm, description: A small arm }, hand: { title: Hand } }\n',
    );
    await library('push', folder, '--yes');
    expect((await library('search', '', '--library', name)).stdout).toBe(
      `${name}/arm  0  mjcf  -  Left arm\n${name}/hand  0  mesh  -  Hand\n`,
    );
    expect((await library('info', name, '--asset', 'arm')).stdout).toMatch(
      /\n21 B {2}[0-9a-f]{12} {2}arm\/arm\.xml\n6 B {2}[0-9a-f]{12} {2}arm\/meshes\/link 1\.obj\n$/,
    );
  });

  test('list all libraries, and describe one library and one asset', async () => {
    const { name } = await publishedRobots();
    expect((await library('list', '--all')).stdout).toContain(`${name}  2  3  `);
    expect((await library('list')).stdout).toContain(name);
    const summary = JSON.parse((await library('info', name, '--json')).stdout);
    expect(summary).toMatchObject({
      assetCount: 2,
      fileCount: 3,
      kinds: { mjcf: 1, mesh: 1 },
      semanticReason: expect.any(String),
    });
    const card = JSON.parse((await library('info', name, '--asset', 'arm', '--json')).stdout);
    const hits = JSON.parse((await library('search', 'arm', '--library', name, '--json')).stdout);
    expect(card).toMatchObject({
      id: 'arm',
      license: 'MIT',
      entry: 'arm/arm.xml',
      digest: hits.hits[0].digest,
    });
  });

  test('print credits by licence or as SPDX, but not to people without access', async () => {
    const { name } = await publishedRobots();
    const page = (await library('credits', name)).stdout;
    expect(page).toMatch(/^# Credits of .*\n\nRevision 1 of `ada\//);
    expect(page).toMatch(/\n## MIT\n(.*\n)*\n### .+\n\n- Asset: arm\n/);
    const bill = JSON.parse((await library('credits', name, '--asset', 'arm', '--spdx')).stdout);
    expect(bill).toMatchObject({ spdxVersion: 'SPDX-2.3', packages: [{ licenseDeclared: 'MIT' }] });
    expect(await anonymousLibrary('credits', name)).toMatchObject({ exitCode: 5 });
  });
});

describe('changing a library in place', () => {
  test('adds, replaces and removes assets', async () => {
    const { folder, name } = await publishedRobots();
    const arm = join(folder, 'arm');
    expect(await library('add', name, arm)).toMatchObject({ exitCode: 6 });
    expect(await library('add', name, arm, '--replace')).toMatchObject({ exitCode: 0 });
    const leg = join(home, 'leg.glb');
    await writeFile(leg, 'leg');
    expect(JSON.parse((await library('add', name, leg, '--json')).stdout)).toMatchObject({
      revision: 3,
      asset: { id: 'leg.glb' },
    });
    expect(await library('rm', name, 'arm')).toMatchObject({
      exitCode: 2,
      stderr: `Error: Remove 1 asset (arm) with 2 files, 27 B, from ${name}? This is not a terminal.\nAdd --yes to go ahead without a prompt.\n`,
    });
    expect(await library('rm', name, 'ghost', '--yes')).toMatchObject({ exitCode: 5 });
    expect(await library('rm', name, 'arm', 'hand', '--yes')).toMatchObject({
      exitCode: 0,
      stdout: `Removed 2 assets (arm, hand) with 3 files, 31 B, from ${name}, now at revision 4.\n`,
    });
    expect(await library('rm', name, 'leg.glb', '--yes')).toMatchObject({ exitCode: 6 });
  });

  test('makes it public and private, deletes, restores and purges it', async () => {
    const { name } = await publishedRobots();
    await library('visibility', name, 'public');
    expect(await anonymousLibrary('info', name)).toMatchObject({ exitCode: 0 });
    await library('visibility', name, 'private');
    expect(await anonymousLibrary('info', name)).toMatchObject({ exitCode: 5 });
    expect(await library('purge', name, '--yes')).toMatchObject({ exitCode: 6 });
    expect(await library('delete', name, '--yes')).toMatchObject({
      exitCode: 0,
      stdout: expect.stringContaining(`${name} (2 assets, 3 files, 31 B) is in the Trash.`),
    });
    expect((await library('list', 'ada', '--deleted')).stdout).toContain(name);
    await library('restore', name);
    expect(await library('info', name)).toMatchObject({ exitCode: 0 });
    await library('delete', name, '--yes');
    expect(await library('purge', name)).toMatchObject({ exitCode: 2 });
    expect(JSON.parse((await library('purge', name, '--yes', '--json')).stdout)).toMatchObject({
      state: 'purged',
    });
  });
});
