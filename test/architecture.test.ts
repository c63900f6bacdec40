import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { extensionsOf, extensionsOfFamilies, FORMATS, formatOf } from '../packages/formats/src/index.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
/** Packages whose folders directly below `src` depend on each other in one direction only. */
const LAYERED = ['server', 'sdk', 'dashboard', 'formats'].map((name) => `packages/${name}/src`);

test('docs/architecture.md answers thirty questions of newcomers, each with an existing file', () => {
  const page = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [, section = ''] = page.split('\n## Where is …?\n');
  const answers = [...section.matchAll(/^\| .*\?.* +\| `([^`]+)` +\|$/gm)].map(([, file = '']) => file);
  expect(answers).toHaveLength(30);
  expect(answers.filter((file) => !existsSync(join(root, 'packages', file)))).toEqual([]);
});

test.each(LAYERED)('the folders of %s have no import cycles, not even through a third folder', (source) => {
  const files = globSync(`${source}/*/**/*.{ts,tsx}`, { cwd: root });
  expect(files).not.toEqual([]);
  expect(circles(roomsOf(source, files))).toEqual([]);
});

test('no sentence of the SDK names an option or a command of the command line', () => {
  /** Options of other programs, the name of a report's tool, and the first line of files of earlier releases. */
  const others = ['credentials/keychains.ts', 'import/git.ts', 'check/sarif.ts', 'tree/scan.ts'].map((file) =>
    join('packages/sdk/src', file),
  );
  const files = globSync('packages/sdk/src/**/*.ts', { cwd: root }).filter((file) => !others.includes(file));
  const named = files.flatMap((file) => {
    const code = readFileSync(join(root, file), 'utf8').replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '');
    const literals = code.match(/'[^'\n]*'|"[^"\n]*"|`[^`]*`/g) ?? [];
    return literals
      .filter((text) => /(?:^.|[\s("])(?:--[a-z]|bindery [a-z]+ )/.test(text))
      .map((text) => [file, text]);
  });
  expect(named).toEqual([]);
});

test('no table outside of the formats names them by hand', () => {
  const extensions = new Set(extensionsOfFamilies('mesh', 'points', 'splat'));
  /** What words mean in names of folders and files, which nobody reads as a format. */
  const others = ['discovery/units/model-folders.ts'].map((file) => join('packages/sdk/src', file));
  const files = globSync('packages/*/src/**/*.{ts,tsx}', { cwd: root }).filter(
    (file) => !file.startsWith('packages/formats/') && !others.includes(file),
  );
  const tables = files.filter((file) => {
    const words = readFileSync(join(root, file), 'utf8').matchAll(/(?<=['"`.|:(])[a-z0-9]{2,6}(?=['"`|)])/g);
    return new Set([...words].map(([word]) => word).filter((word) => extensions.has(word))).size > 8;
  });
  expect(tables).toEqual([]);
});

test('Python tells formats apart as the list of formats does, and names each that it loads', () => {
  const source = readFileSync(join(root, 'python/bindery/_load.py'), 'utf8');
  const tables = /_BY_ENDING.*?\n}\n_BY_ROOT.*?}\n/s.exec(source)?.[0] ?? '';
  const kindOf = (extension: string) => {
    const { family, name = '' } = formatOf(extension) ?? {};
    return family === 'mesh' && name !== 'usd' ? 'mesh' : name;
  };
  const endings = [...tables.matchAll(/(?<=[[{,\s])((?:"\.\w+"(?:, )?)+)\]?[:,] "(\w+)"/g)].flatMap(
    ([, list = '', format = '']) =>
      [...list.matchAll(/\.(\w+)/g)].map(([, extension = '']) => [extension, format.toLowerCase()] as const),
  );
  expect(endings.map(([extension]) => [extension, kindOf(extension)])).toEqual(endings);
  const named = new Set(endings.map(([extension]) => extension));
  // Files in XML are told apart by their roots. Of meshes, these are what trimesh does not load.
  const others = ['xml', 'amf', 'blend', 'fbx', 'step', 'stp', 'vrm', 'wrl'];
  const loaded = FORMATS.filter(({ family }) => family === 'robot' || family === 'mesh').flatMap(
    extensionsOf,
  );
  expect(loaded.filter((extension) => !named.has(extension)).sort()).toEqual(others.sort());
  for (const [, rootName = '', format = ''] of tables.matchAll(/"([a-z]+)": "([A-Z]+)"/g))
    expect(FORMATS.find(({ roots }) => roots?.includes(rootName))?.name).toBe(format.toLowerCase());
});

test('an import cycle through three folders is detected', () => {
  const rooms = new Map([
    ['access', new Set<string>()],
    ['libraries', new Set(['revision', 'access'])],
    ['revision', new Set(['search'])],
    ['search', new Set(['libraries'])],
  ]);
  expect(circles(rooms)).toEqual(['libraries', 'revision', 'search']);
});

/** Returns the rooms, each with those that its files import. */
function roomsOf(source: string, files: readonly string[]): Map<string, Set<string>> {
  const rooms = new Map<string, Set<string>>();
  for (const file of files) {
    const imported = rooms.get(roomOf(source, file)) ?? new Set();
    rooms.set(roomOf(source, file), imported);
    const text = readFileSync(join(root, file), 'utf8');
    for (const [, path = ''] of text.matchAll(/'(\.{1,2}\/[^']+\.tsx?)'/g)) {
      const room = roomOf(source, join(dirname(file), path));
      if (room !== roomOf(source, file) && !/\.tsx?$/.test(room)) imported.add(room);
    }
  }
  return rooms;
}

/** A folder of a package, or a file next to the folders: such files connect rooms, or may be imported by all. */
function roomOf(source: string, file: string): string {
  const [room = ''] = relative(source, file).split('/');
  return room;
}

/** Returns the rooms that are part of a cycle. */
function circles(rooms: Map<string, Set<string>>): string[] {
  return [...rooms.keys()].filter((room) => reachable(rooms, room).has(room)).sort();
}

function reachable(rooms: Map<string, Set<string>>, from: string): Set<string> {
  const found = new Set<string>();
  const next = [...(rooms.get(from) ?? [])];
  for (let room = next.pop(); room !== undefined; room = next.pop()) {
    if (found.has(room)) continue;
    found.add(room);
    next.push(...(rooms.get(room) ?? []));
  }
  return found;
}
