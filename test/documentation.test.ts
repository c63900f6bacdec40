import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';

const root = fileURLToPath(new URL('..', import.meta.url));
const pages = [
  'README.md',
  'python/README.md',
  'deploy/helm/bindery/README.md',
  ...globSync('{docs/**/*,packages/*/README,packages/*/src/**/README}.md', { cwd: root }),
];

test('links in the documentation lead to existing pages and headings', () => {
  expect(pages.flatMap(brokenLinks)).toEqual([]);
});

test('docs/architecture.md names only existing files and folders', () => {
  const named = [...read('docs/architecture.md').matchAll(/`([\w-]+(?:\/[\w.-]+)+)`/g)].map(
    ([, path = '']) => path,
  );
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((path) => !isInTheTree(path))).toEqual([]);
});

test('notes for the next release name their packages and say what changes', () => {
  const notes = globSync('.changeset/*.md', { cwd: root }).filter((file) => !file.endsWith('README.md'));
  const note = /^---\n("@bindery\/[a-z]+": (minor|patch)\n)+---\n\n[A-Z`].*\.\n$/s;
  expect(notes.filter((file) => !note.test(read(file)))).toEqual([]);
});

test('everything that is released together has one version', () => {
  const manifests = globSync('packages/*/package.json', { cwd: root });
  const versions = [
    ...manifests.map((file) => /"version": "(.*)"/.exec(read(file))?.[1]),
    /"version": "(.*)"/.exec(read('docs/openapi.json'))?.[1],
    /^version = "(.*)"$/m.exec(read('python/pyproject.toml'))?.[1],
    /^version: (.*)$/m.exec(read('deploy/helm/bindery/Chart.yaml'))?.[1],
    /^appVersion: (.*)$/m.exec(read('deploy/helm/bindery/Chart.yaml'))?.[1],
    /^## (\d.*)$/m.exec(read('CHANGELOG.md'))?.[1],
  ];
  expect(new Set(versions)).toEqual(new Set([versions[0]]));
  expect(versions[0]).toMatch(/^\d+\.\d+\.\d+$/);
});

/** Settings that the service passes to its thumbnail processes; they are not for users. */
const INTERNAL = ['BINDERY_RENDER_MEMORY'];

test('every setting that the program reads is documented', () => {
  const sources = globSync('packages/*/src/**/*.{ts,js}', { cwd: root }).map(read).join('\n');
  const settings = new Set(sources.match(/\bBINDERY_[A-Z]+(?:_[A-Z]+)*\b/g));
  const documentation = pages.map(read).join('\n');
  expect([...settings].filter((setting) => !documentation.includes(setting))).toEqual(INTERNAL);
});

/** Packages of others that texts and messages tell people to install, each in the registry of its language. */
const OF_OTHERS = {
  npm: ['occt-import-js', 'onnxruntime-node', 'vhacd-js'],
  pip: ['mujoco', 'pin', 'tantivy', 'tqdm', 'trimesh', 'usd-core', 'fsspec', 'PyYAML'],
};

test('nothing that people read or that a program runs installs a package that its registry does not have', () => {
  const sources = [
    'packages/*/{src,README.md}',
    'python/{bindery,examples,README.md}',
    'scripts',
    'deploy',
    'Dockerfile',
  ];
  const texts = globSync(
    [...pages, 'action.yml', 'CONTRIBUTING.md', ...sources.map((path) => `${path}{,/**/*}`)],
    {
      cwd: root,
    },
  ).filter((file) => /(\.(ts|tsx|js|py|md|yml|sh)|Dockerfile)$/.test(file));
  expect(texts.length).toBeGreaterThan(1_000);
  const installs = texts.flatMap((file) =>
    [
      ...read(file).matchAll(
        /\b(npm (?:install|i|exec|add)|npx|pip3? install|uvx|pipx \w+) +["']?([^`'"“”;&|#)\n]*)/g,
      ),
    ].map(([, program = '', words = '']) => ({ file, program, words })),
  );
  expect(installs.length).toBeGreaterThan(10);
  const unknown = installs.filter(({ program, words }) => !isKnown(program, words.trim().split(/\s+/)));
  expect(unknown).toEqual([]);
});

/** Whether all named packages are in the clone, at a service, or in the registry. */
function isKnown(program: string, words: readonly string[]): boolean {
  // In a clone; with an option npx may fetch anything.
  if (program === 'npx') return ['bindery', 'vitest'].includes(words[0] ?? '');
  const names = words.filter((word) => word !== '' && !word.startsWith('-'));
  const known = program.startsWith('npm') ? OF_OTHERS.npm : OF_OTHERS.pip;
  return names.every((name) => /^[./${<]|^https:/.test(name) || known.includes(name.replace(/[.,:]$/, '')));
}

function brokenLinks(page: string): string[] {
  const text = read(page).replaceAll(/`[^`\n]*`/g, '');
  const links = [...text.matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)];
  const broken = links.filter(([, path = '', heading]) => {
    const target = path === '' ? page : join(dirname(page), path);
    return (
      !existsSync(join(root, target)) || (heading !== undefined && !headingsOf(target).includes(heading))
    );
  });
  return broken.map(([link]) => `${page}: ${link}`);
}

function read(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

/** Returns the anchors that GitHub generates for headings. */
function headingsOf(page: string): string[] {
  return [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, '')
      .replaceAll(' ', '-'),
  );
}

/** Paths are relative to the root, to `packages`, or to the source folder of a package or of the service. */
function isInTheTree(path: string): boolean {
  const [room = '', ...rest] = path.split('/');
  const candidates = [
    path,
    `packages/${path}`,
    `packages/${room}/src/${rest.join('/')}`,
    `packages/server/src/${path}`,
    `packages/server/src/adapters/objects/${path}`,
  ];
  return candidates.some((candidate) => existsSync(join(root, candidate)));
}
