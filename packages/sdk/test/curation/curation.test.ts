import { describe, expect, test } from 'vitest';
import { parseCuration } from '../../src/curation/curation.ts';
import { matcherWithFolders } from '../../src/discovery/globs.ts';
import { CurationError } from '../../src/failures.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith } from '../folder.ts';

const FOLDER = {
  'models/a.glb': 'a',
  'models/b.glb': 'b',
  'models/textures/one.png': 'x',
  'notes/readme.md': 'x',
  'notes/draft.tmp': 'x',
};

function curated(yaml: string, files: Record<string, string> = FOLDER) {
  return discoverLibrary(folderWith({ ...files, 'bindery.yml': yaml })).assets.map((asset) => ({
    ...asset,
    files: asset.files.map(({ path }) => path),
  }));
}

function problemsOf(yaml: string): string[] {
  try {
    curated(yaml);
  } catch (error) {
    if (error instanceof CurationError) return error.message.split('\n');
    throw error;
  }
  return [];
}

describe('bindery.yml', () => {
  test('lets assets claim and share files, and a folder with no file left yields no asset', () => {
    const assets = curated(`
assets:
  a: { files: [models/a.glb, "models/textures/**"] }
  b: { files: [models/b.glb, "models/textures/**"] }
`);
    expect(assets.map(({ id, kind, files }) => [id, kind, files])).toEqual([
      ['a', 'mesh', ['models/a.glb', 'models/textures/one.png']],
      ['b', 'mesh', ['models/b.glb', 'models/textures/one.png']],
      ['notes', 'file', ['notes/draft.tmp', 'notes/readme.md']],
    ]);
  });

  test('leaves files that no asset claims to the asset of their folder', () => {
    const assets = curated('assets: { a: { files: [models/a.glb] } }');
    expect(assets.find(({ id }) => id === 'models')?.files).toEqual([
      'models/b.glb',
      'models/textures/one.png',
    ]);
  });

  test('selects by globs which paths become assets and which are excluded', () => {
    const assets = curated('discover: { assets: ["models/*.glb", notes], exclude: ["**/*.tmp"] }');
    expect(assets.map(({ id, files }) => [id, files])).toEqual([
      ['a.glb', ['models/a.glb']],
      ['b.glb', ['models/b.glb']],
      ['notes', ['notes/readme.md']],
    ]);
  });

  test('excludes everything in an excluded folder', () => {
    expect(curated('discover: { exclude: [models/textures, notes] }').map(({ files }) => files)).toEqual([
      ['models/a.glb', 'models/b.glb'],
    ]);
  });

  test('gives equal names in different folders ids made from their paths', () => {
    const assets = curated('discover: { assets: ["*/*"] }', {
      'x/arm/a.txt': '',
      'y/arm/a.txt': '',
      'y/leg/a.txt': '',
    });
    expect(assets.map(({ id }) => id)).toEqual(['leg', 'x-arm', 'y-arm']);
  });

  test('applies defaults unless an asset overrides them, and merges tags', () => {
    const [models, notes] = curated(`
defaults: { category: kit, license: CC0-1.0, tags: [city] }
assets:
  models: { category: toy, tags: [low poly, city], license: null }
`);
    expect(models).toMatchObject({ category: 'toy', license: null, tags: ['city', 'low poly'] });
    expect(notes).toMatchObject({ category: 'kit', license: 'CC0-1.0', tags: ['city'] });
  });

  test('determines the entry by a given kind, and gives none for an unknown kind', () => {
    const files = { 'arm/arm.xml': '<mujoco/>', 'arm/arm.glb': 'x' };
    expect(curated('assets: { arm: { kind: mesh } }', files)[0]).toMatchObject({
      kind: 'mesh',
      entry: 'arm/arm.glb',
    });
    expect(curated('assets: { arm: { kind: scan } }', files)[0]).not.toHaveProperty('entry');
  });

  test('determines the format by a given entry', () => {
    const [asset] = curated('assets: { models: { kind: mesh, entry: models/b.glb } }');
    expect(asset).toMatchObject({ kind: 'mesh', format: 'glb', entry: 'models/b.glb' });
  });

  test('changes nothing if it is empty', () => {
    expect(curated('').map(({ id }) => id)).toEqual(['models', 'notes']);
  });
});

test('bindery.yml can describe and exclude as much as a library holds', () => {
  const many = Array.from({ length: 30_000 }, (_, at) => at);
  const assets = many.map((at) => `  a${at}: { title: A }\n`).join('');
  const before = process.cpuUsage();
  parseCuration(`assets:\n${assets}`);
  const excluded = matcherWithFolders(many.map((at) => `kept/not-${at}`));
  expect(many.filter((at) => excluded(`kept/${at % 2 ? 'not-' : ''}${at}/a.obj`))).toHaveLength(15_000);
  const { user, system } = process.cpuUsage(before);
  expect((user + system) / 1e6).toBeLessThan(12);
});

describe('bindery.yml with errors', () => {
  test.each([
    ['an unknown key', 'library:\n  titel: x\n', ['bindery.yml:2:3: unknown key "titel" in library']],
    ['an unknown key at the root', 'assests: {}\n', ['bindery.yml:1:1: unknown key "assests"']],
    [
      'an invalid value',
      'assets:\n  notes:\n    tags: red\n',
      [/^bindery\.yml:3:11: assets\.notes\.tags: .*must be a list/],
    ],
    ['an invalid id', 'assets:\n  "no id": {}\n', [/^bindery\.yml:2:3: "no id": must be 1 to 128 letters/]],
    ['a duplicate key', 'library: {}\nlibrary: {}\n', [/^bindery\.yml:2:1: Map keys must be unique/]],
    ['broken YAML', 'library: [\n', [/^bindery\.yml:2:1: /]],
    [
      'an asset that does not exist',
      'assets:\n  ghost: {}\n',
      [/^bindery\.yml:2:10: no folder or file yields an asset "ghost"/],
    ],
    [
      'a glob that matches no file',
      'assets:\n  a:\n    files:\n      - models/a.glb\n      - models/z.glb\n',
      ['bindery.yml:5:9: models/z.glb matches no file'],
    ],
    [
      'an entry of another asset',
      'assets:\n  notes:\n    entry: models/a.glb\n',
      [/^bindery\.yml:3:12: "models\/a\.glb" is not one of the asset's files/],
    ],
    [
      'a second asset of the same id',
      'assets:\n  models: { files: [models/a.glb] }\n',
      [/^bindery\.yml:2:20: leaves files in models\//, /models\/b\.glb/, /one\.png/],
    ],
    [
      'meta that is too large',
      `assets: { notes: { meta: { text: "${'x'.repeat(9000)}" } } }`,
      ['bindery.yml:1:26: assets.notes.meta: at most 8192 bytes as JSON'],
    ],
  ])('is refused with line and column: %s', (_name, yaml, problems) => {
    expect(problemsOf(yaml)).toEqual(
      problems.map((problem) => (typeof problem === 'string' ? problem : expect.stringMatching(problem))),
    );
  });

  test('is refused if its aliases expand exponentially', () => {
    const laughs = ['a: &a [x, x, x, x, x, x, x, x, x]'];
    for (let at = 1; at < 9; at++) {
      const alias = `*${'abcdefghi'[at - 1]}`;
      laughs.push(`${'abcdefghi'[at]}: &${'abcdefghi'[at]} [${Array(9).fill(alias).join(', ')}]`);
    }
    expect(() => parseCuration(laughs.join('\n'))).toThrow(/Excessive alias count/);
  });

  test('is refused if it is nested too deeply', () => {
    expect(() => parseCuration(`library: ${'['.repeat(100_000)}`)).toThrow(CurationError);
  });
});
