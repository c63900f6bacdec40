import { execFileSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { discoverFiles } from '../../src/discovery/discover.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import type { PublishOptions } from '../../src/tree/publish-rules.ts';
import { scanTree } from '../../src/tree/scan.ts';
import { describeRule } from '../../src/tree/skipped-paths.ts';
import { canRun } from '../credentials/needed-programs.ts';
import { runs } from '../credentials/secret-service-session.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';

const KEY = '-----BEGIN OPENSSH PRIVATE KEY-----\nabc\n-----END OPENSSH PRIVATE KEY-----\n';
const URDF =
  '<robot name="arm"><link name="a"><visual><geometry><mesh filename="meshes/base.stl"/></geometry></visual></link></robot>';

function scanned(folder: string, options?: PublishOptions) {
  const { files, leftOut } = scanTree(folder, options);
  return {
    files: files.map(({ path }) => path),
    leftOut: Object.fromEntries(leftOut.map((one) => [one.path, describeRule(one)])),
  };
}

/** The same from a list of files, as the dashboard has it. */
function picked(files: Record<string, string>) {
  const listed = Object.entries(files).map(([path, text]) => ({ path, size: Buffer.byteLength(text) }));
  const found = discoverFiles(listed, (path, start, length) =>
    Buffer.from(files[path] ?? '').subarray(start, start + length),
  );
  return {
    files: [...new Set(found.assets.flatMap((asset) => asset.files.map(({ path }) => path)))].sort(),
    leftOut: found.leftOut.map((one) => [one.path, describeRule(one)]),
    warnings: found.warnings,
  };
}

const MESSY = {
  '.gitignore': 'build/\nlog/\n__pycache__/\nnode_modules\n*.log\nsecret/\n!keep.log\n',
  'arm/arm.xml': '<mujoco/>',
  'arm/keep.log': 'kept',
  'arm/run.log': 'no',
  'arm/__pycache__/a.pyc': 'no',
  'arm/.gitignore': '/cache\n!run2.log\n',
  'arm/cache/x.bin': 'no',
  'arm/run2.log': 'kept by the nearer file',
  'build/arm.stl': 'no',
  'node_modules/x/index.js': 'no',
  'secret/password.txt': 'no',
};

describe('a folder with a .gitignore', () => {
  test('is published without what it names, each with the rule that leaves it out', () => {
    expect(scanned(folderWith(MESSY))).toEqual({
      files: ['arm/arm.xml', 'arm/keep.log', 'arm/run2.log'],
      leftOut: {
        '.gitignore': 'hidden',
        'arm/.gitignore': 'hidden',
        'arm/__pycache__': 'ignored by .gitignore:3 (__pycache__/)',
        'arm/cache': 'ignored by arm/.gitignore:1 (/cache)',
        'arm/run.log': 'ignored by .gitignore:5 (*.log)',
        build: 'ignored by .gitignore:1 (build/)',
        node_modules: 'ignored by .gitignore:4 (node_modules)',
        secret: 'ignored by .gitignore:6 (secret/)',
      },
    });
  });

  test('is the same library when it is picked in a browser', () => {
    const { files, leftOut } = picked(MESSY);
    const folder = scanned(folderWith(MESSY));
    expect(files).toEqual(folder.files);
    expect(Object.fromEntries(leftOut)).toEqual(folder.leftOut);
  });

  test.runIf(canRun('Git', runs('git', ['--version']) ? [] : ['git']))(
    'has the files that git would add',
    () => {
      const folder = folderWith({
        ...MESSY,
        '.gitignore': `${MESSY['.gitignore']}/docs/*\n!/docs/api/\n**/tmp/\nwei\\ rd\n# no\n[ab].txt\nx/**/y\n`,
        'docs/a.md': '',
        'docs/api/b.md': '',
        'p/q/tmp/z': '',
        'wei rd': '',
        'a.txt': '',
        'c.txt': '',
        'x/1/2/y/z': '',
        'x/1/y': '',
        'deep/.gitignore': '*\n!*.obj\n!*/\n',
        'deep/er/a.obj': '',
        'deep/er/a.mtl': '',
      });
      const git = (...words: string[]) => execFileSync('git', ['-C', folder, ...words], { encoding: 'utf8' });
      git('init', '-q');
      const listed = git('-c', 'core.quotePath=off', 'ls-files', '--others', '--exclude-standard');
      const visible = listed.split('\n').filter((path) => path !== '' && !/(^|\/)\./.test(path));
      expect(scanned(folder).files).toEqual(visible.sort());
    },
  );

  test('publishes what --include names, and what a .binderyignore takes back for every push', () => {
    const files = { ...MESSY, 'build/.cache/x': 'no', 'build/sub/b.stl': 'no' };
    expect(scanned(folderWith(files), { include: ['build/*.stl', 'arm/run.log'] }).files).toEqual([
      'arm/arm.xml',
      'arm/keep.log',
      'arm/run.log',
      'arm/run2.log',
      'build/arm.stl',
    ]);
    const { files: kept } = scanned(folderWith({ ...files, '.binderyignore': '!build/\narm/*.log\n' }));
    expect(kept).toEqual(['arm/arm.xml', 'arm/run2.log', 'build/arm.stl', 'build/sub/b.stl']);
  });

  test('is published without what --exclude names', () => {
    const { files, leftOut } = scanned(folderWith(MESSY), { exclude: ['arm/*.log', 'hand/'] });
    expect(files).toEqual(['arm/arm.xml']);
    expect(leftOut).toMatchObject({ 'arm/keep.log': 'excluded by arm/*.log' });
  });

  test('keeps its bindery.yml even if it is named', () => {
    const files = {
      '.gitignore': '*.yml\n',
      'bindery.yml': 'library: { title: Robots }\n',
      'a/a.obj': 'v 0 0 0\n',
    };
    expect(discoverLibrary(folderWith(files)).library).toEqual({ title: 'Robots' });
  });

  test('warns of a mesh that a model refers to and the folder leaves out, with the rule', () => {
    const files = { '.gitignore': '\n*.stl\n', 'arm/arm.urdf': URDF, 'arm/meshes/base.stl': 'solid' };
    const warning =
      'arm/arm.urdf refers to meshes/base.stl, which is not published: arm/meshes/base.stl is ignored by .gitignore:2 (*.stl)';
    expect(discoverLibrary(folderWith(files)).warnings).toContain(warning);
    expect(picked(files).warnings).toContain(warning);
    const folder = discoverLibrary(folderWith({ ...files, '.gitignore': 'meshes/\n' }));
    expect(folder.warnings).toContain(
      'arm/arm.urdf refers to meshes/base.stl, which is not published: arm/meshes is ignored by .gitignore:1 (meshes/)',
    );
  });
});

describe('a folder inside a git repository', () => {
  const inside = {
    '.gitignore': '*.log\nout/\n',
    'robots/arm/arm.xml': '<mujoco/>',
    'robots/arm/run.log': 'no',
  };

  test('is published by the rules of the repository above it', () => {
    const repository = folderWith(inside);
    mkdirSync(join(repository, '.git'));
    expect(scanned(join(repository, 'robots'))).toMatchObject({
      files: ['arm/arm.xml'],
      leftOut: { 'arm/run.log': 'ignored by ../.gitignore:1 (*.log)' },
    });
  });

  test('that the repository ignores as a whole is published as it is', () => {
    const repository = folderWith({ ...inside, 'out/arm/arm.xml': '<mujoco/>', 'out/arm/run.log': 'kept' });
    mkdirSync(join(repository, '.git'));
    expect(scanned(join(repository, 'out')).files).toEqual(['arm/arm.xml', 'arm/run.log']);
  });

  test('that is in no repository is not looked above', () => {
    expect(scanned(join(folderWith(inside), 'robots')).files).toEqual(['arm/arm.xml', 'arm/run.log']);
  });
});

describe('likely secrets', () => {
  const SECRETS = {
    'arm/arm.xml': '<mujoco/>',
    'arm/id_rsa': KEY,
    'arm/id_ed25519': KEY,
    'arm/id_ed25519.pub': 'ssh-ed25519 AAAA',
    '.env': 'TOKEN=1',
    '.netrc': 'machine x',
    'credentials.json': '{}',
    'server.pem': `-----BEGIN CERTIFICATE-----\n${KEY}`,
    'public.pem': '-----BEGIN CERTIFICATE-----\n',
    'piano.key': 'a mesh of a key',
  };
  const NAMED = ['.env', '.netrc', 'arm/id_ed25519', 'arm/id_rsa', 'credentials.json', 'server.pem'];

  test('are never published and are named, also when they are included', () => {
    const folder = folderWith(SECRETS);
    for (const options of [{}, { include: ['**'] }]) {
      const { files, leftOut } = scanned(folder, options);
      expect(files).toEqual(['arm/arm.xml', 'arm/id_ed25519.pub', 'piano.key', 'public.pem']);
      expect(leftOut).toEqual(Object.fromEntries(NAMED.map((path) => [path, 'a likely secret'])));
    }
  });

  test('are not published from a browser either', () => {
    const { leftOut } = picked(SECRETS);
    const secrets = leftOut.filter(([, rule]) => rule === 'a likely secret').map(([path]) => path);
    expect(secrets.sort()).toEqual(NAMED);
  });
});

test('a folder of which everything is left out says by which rule', async () => {
  const folder = temporaryFolder();
  writeFiles(folder, { '.gitignore': '*\n', 'mug/mug.obj': 'v 0 0 0\n' });
  const { previewFolder } = await import('../../src/local-discovery/discover-folder.ts');
  await expect(previewFolder(folder)).rejects.toThrow(/left out; mug is ignored by \.gitignore:1 \(\*\)\.$/);
});

test('pipes in place of bindery.yml and ignore files are not waited for', () => {
  const folder = folderWith({ 'mug/mug.obj': 'v 0 0 0\n' });
  const pipe = (path: string) => execFileSync('mkfifo', [join(folder, path)]);
  pipe('.gitignore');
  expect(scanned(folder).files).toEqual(['mug/mug.obj']);
  pipe('bindery.yml');
  expect(() => discoverLibrary(folder)).toThrow('bindery.yml is not a regular file');
});

test('names that not every system can hold are warned of, on disk and in a browser', () => {
  const files = { 'mug/Mug.obj': 'v 0 0 0\n', 'mug/mug.obj': 'v 1 0 0\n', 'aux/a.obj': 'v 0 0 0\n' };
  const warning =
    'not every system can hold these names: aux/a.obj (Windows does not allow the name "aux"); mug/Mug.obj and mug/mug.obj are the same to Windows, macOS and FAT';
  expect(discoverLibrary(folderWith(files)).warnings).toContain(warning);
  expect(picked(files).warnings).toContain(warning);
});
