import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { DiscoveredAsset } from '../../src/discovery/discovered-library.ts';
import { examineFile } from '../../src/discovery/examine.ts';
import { BoundedFileReader } from '../../src/discovery/file-reader.ts';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith, writeFiles } from '../folder.ts';
import { MIXED_LIBRARY as LIBRARY } from './mixed-library.ts';
import { glb, gltf, model, OBJ, ros, sdf, urdf } from './models.ts';

function assetsOf(folder: string): string[] {
  return discoverLibrary(folder).assets.map(summaryOf);
}

function summaryOf({ id, kind, entry, files }: DiscoveredAsset): string {
  return JSON.stringify({ id, kind, entry, files: files.map(({ path }) => path) });
}

test('discovery does not depend on the order in which files were created', () => {
  const expected = assetsOf(folderWith(LIBRARY));
  fc.assert(
    fc.property(
      fc.shuffledSubarray(Object.keys(LIBRARY), { minLength: Object.keys(LIBRARY).length }),
      (paths) => {
        const files = Object.fromEntries(paths.map((path) => [path, LIBRARY[path] ?? '']));
        expect(assetsOf(folderWith(files))).toEqual(expected);
      },
    ),
    { numRuns: 10 },
  );
});

test('adding an unrelated file changes no discovered asset', () => {
  const expected = assetsOf(folderWith(LIBRARY));
  const place = fc.constantFrom(
    '',
    'new/',
    'new/deep/',
    'makers/',
    'makers/acme/',
    'makers/other/',
    'city/new/',
  );
  const content = fc.constantFrom<[string, string | Uint8Array]>(
    ['notes.txt', 'x'],
    ['thing.urdf', urdf('meshes/none.stl')],
    ['thing.obj', OBJ],
    ['thing.gltf', gltf()],
    ['thing.xml', model('<worldbody><body/></worldbody>')],
    ['parts.png', 'x'],
  );
  fc.assert(
    fc.property(place, content, (folder, [name, bytes]) => {
      const library = folderWith(LIBRARY);
      writeFiles(library, { [`${folder}${name}`]: bytes });
      expect(assetsOf(library)).toEqual(expect.arrayContaining(expected));
    }),
    { numRuns: 60 },
  );
});

test('the files of the discovered assets alone give the same assets again, for any part of a library', () => {
  fc.assert(
    fc.property(fc.subarray(Object.keys(LIBRARY), { minLength: 1 }), (paths) => {
      const published = discoverLibrary(
        folderWith(Object.fromEntries(paths.map((path) => [path, LIBRARY[path] ?? '']))),
      ).assets;
      const pulled = [...new Set(published.flatMap(({ files }) => files.map(({ path }) => path)))];
      fc.pre(pulled.length > 0);
      const again = folderWith(Object.fromEntries(pulled.map((path) => [path, LIBRARY[path] ?? ''])));
      expect(discoverLibrary(again).assets.map(summaryOf)).toEqual(published.map(summaryOf));
    }),
    { numRuns: 100 },
  );
});

const TEXTS: Record<string, string | Uint8Array> = {
  'a.xml': LIBRARY['arm/arm.xml'] ?? '',
  'a.urdf': urdf('a.stl'),
  'a.xacro': '<robot xmlns:xacro="x"><xacro:include filename="$(find a)/b.xacro"/></robot>',
  'a.sdf': sdf('<uri>a</uri>'),
  'model.config': LIBRARY['beer/model.config'] ?? '',
  'package.xml': ros('a'),
  'a.gltf': gltf('a.png'),
  'a.glb': glb('a.png'),
  'a.obj': `mtllib a.mtl\n${OBJ}`,
  'a.mtl': 'map_Kd a.png\n',
  'a.dae': '<COLLADA><library_images><image><init_from>a.png</init_from></image></library_images></COLLADA>',
  'a.ply': 'ply\nformat ascii 1.0\nend_header\n',
  'meta.json': '{"means":{"files":["a"]}}',
  'metadata.json': '{"name":"a","legal":[]}',
  'meta-information.json': '{"robots":[{"name":"a","urdf":["a.urdf"]}]}',
};

test('a name that ends in what every object has is of no known type', () => {
  const file = new BoundedFileReader({ path: 'notes.constructor', size: 0 }, () => new Uint8Array());
  expect(examineFile(file)).toBeNull();
});

test('examining a damaged file does not throw, whatever bytes are damaged', () => {
  const damage = fc.array(
    fc.record({ at: fc.nat(600), drop: fc.nat(20), insert: fc.uint8Array({ maxLength: 8 }) }),
    { minLength: 1, maxLength: 6 },
  );
  fc.assert(
    fc.property(fc.constantFrom(...Object.keys(TEXTS)), damage, (path, damages) => {
      let bytes = Buffer.from(TEXTS[path] as string);
      for (const { at, drop, insert } of damages) {
        const place = Math.min(at, bytes.byteLength);
        bytes = Buffer.concat([bytes.subarray(0, place), insert, bytes.subarray(place + drop)]);
      }
      const file = new BoundedFileReader({ path, size: bytes.byteLength }, (_, start, length) =>
        Uint8Array.from(bytes.subarray(start, start + length)),
      );
      const facts = examineFile(file);
      expect(facts === null || Array.isArray(facts.references)).toBe(true);
    }),
    { numRuns: 500 },
  );
});

test.each([
  [
    'a billion laughs',
    '<!DOCTYPE mujoco [<!ENTITY a "x"><!ENTITY b "&a;&a;">]><mujoco>&b;</mujoco>',
    /DOCTYPE/,
  ],
  ['an external DTD in the file system', '<!DOCTYPE robot SYSTEM "file:///etc/passwd"><robot/>', /DOCTYPE/],
  ['100,000 nested elements', `<mujoco>${'<a>'.repeat(100_000)}`, /nested deeper/],
  ['a truncated document', '<mujoco><worldbody>', /not well-formed/],
])('hostile XML gives a warning that names the file: %s', (_name, text, warning) => {
  const folder = folderWith({ 'arm/arm.xml': text });
  const { assets, warnings } = discoverLibrary(folder);
  expect(assets.map(({ id }) => id)).toEqual(['arm']);
  expect(warnings).toEqual([expect.stringMatching(warning)]);
  expect(warnings[0]).toContain('arm/arm.xml');
});

test('discovery terminates if files include each other', () => {
  const folder = folderWith({ 'arm/a.xml': model('<include file="b.xml"/>') });
  writeFileSync(join(folder, 'arm/b.xml'), model('<include file="a.xml"/><worldbody><body/></worldbody>'));
  expect(discoverLibrary(folder).assets).toHaveLength(1);
});
