import { MANIFEST_SCHEMA, type Manifest } from '@bindery/contract';
import { describe, expect, test } from 'vitest';
import { changeManifest, type FileChange } from '../../src/libraries/publish/worker/change-manifest.ts';
import { fileEntry } from '../libraries/publisher.ts';

const before: Manifest = {
  schema: MANIFEST_SCHEMA,
  library: { title: 'Robots' },
  assets: [
    {
      id: 'arm',
      title: 'Arm',
      entry: 'robots/arm/arm.urdf',
      thumbnail: '.bindery/thumbs/arm.webp',
      files: [fileEntry('robots/arm/arm.urdf', 'urdf'), fileEntry('robots/shared.stl', 'mesh')],
    },
    {
      id: 'hand',
      files: [fileEntry('robots/arm/hand/hand.stl', 'hand'), fileEntry('robots/arm/hand/b', 'b')],
    },
  ],
  generated: ['.bindery/thumbs/arm.webp'],
};

const put = (path: string, content = 'new'): FileChange => ({ kind: 'put', ...fileEntry(path, content) });
const filesAfter = (...changes: FileChange[]) =>
  Object.fromEntries(
    changeManifest(before, changes).manifest.assets.map(({ id, files }) => [
      id,
      files.map(({ path }) => path),
    ]),
  );

test('what is not named stays as it is', () => {
  expect(changeManifest(before, [])).toEqual({ manifest: before, artifacts: [] });
  const { manifest } = changeManifest(before, [put('robots/shared.stl', 'a new mesh')]);
  expect(manifest.assets[0]?.files[1]).toEqual(fileEntry('robots/shared.stl', 'a new mesh'));
  expect(manifest.assets[1]).toEqual(before.assets[1]);
  expect(manifest.library).toEqual(before.library);
});

test('a new file joins the innermost asset in whose folder it is', () => {
  expect(filesAfter(put('robots/arm/hand/finger.stl')).hand).toContain('robots/arm/hand/finger.stl');
  expect(filesAfter(put('robots/other.stl')).arm).toContain('robots/other.stl');
});

test('a file elsewhere makes an asset of its top folder, one at the root of itself', () => {
  const files = filesAfter(
    put('Cup of tea/a.stl'),
    put('Cup of tea/b/c.png'),
    put('loose.glb'),
    put('arm.stl'),
  );
  expect(files).toMatchObject({
    'Cup-of-tea': ['Cup of tea/a.stl', 'Cup of tea/b/c.png'],
    loose: ['loose.glb'],
    'arm-2': ['arm.stl'],
  });
});

test('a new asset is known by its one model', () => {
  const { manifest } = changeManifest(before, [put('cart/cart.urdf'), put('cart/wheel.stl')]);
  expect(manifest.assets.at(-1)).toMatchObject({ id: 'cart', kind: 'urdf', entry: 'cart/cart.urdf' });
});

test('an asset goes with its last file, and what a file was to it with the file', () => {
  const { manifest } = changeManifest(before, [{ kind: 'delete', path: 'robots/arm/arm.urdf' }]);
  expect(manifest.assets[0]).not.toHaveProperty('entry');
  expect(manifest.assets[0]).toMatchObject({ id: 'arm', title: 'Arm' });
  const gone = changeManifest(before, [{ kind: 'delete', path: 'robots/' }]);
  expect(gone.manifest).toMatchObject({ assets: [], generated: [] });
});

test('README and curation at the root are kept beside the assets', () => {
  const { manifest, artifacts } = changeManifest(before, [put('README.md', '# Hello')]);
  expect(artifacts).toEqual([fileEntry('.bindery/source/README.md', '# Hello')]);
  expect(manifest.generated).toEqual(['.bindery/source/README.md', '.bindery/thumbs/arm.webp']);
  expect(changeManifest(manifest, [{ kind: 'delete', path: 'README.md' }]).manifest.generated).toEqual(
    before.generated,
  );
});

test('deleting and putting again keeps the asset, and a folder is deleted with all below it', () => {
  const { manifest } = changeManifest(before, [
    { kind: 'delete', path: 'robots/arm/' },
    put('robots/arm/hand/new.stl'),
  ]);
  expect(manifest.assets.map(({ id, files }) => [id, files.map(({ path }) => path)])).toEqual([
    ['arm', ['robots/shared.stl']],
    ['hand', ['robots/arm/hand/new.stl']],
  ]);
});

/** With work for each pair of a change and an asset, file or id, each of these takes minutes. */
describe('25,000 changes of a library with 20,000 assets take seconds', () => {
  const numbers = Array.from({ length: 20_000 }, (_, number) => number);
  const file = (path: string) => ({ path, size: 1, sha256: 'a'.repeat(64) });
  const large: Manifest = {
    schema: MANIFEST_SCHEMA,
    assets: numbers.map((number) => ({ id: `a${number}`, files: [file(`a/${number}/x`)] })),
  };
  const changes = (change: (number: number) => FileChange[]) =>
    Array.from({ length: 12_500 }, (_, number) => number).flatMap(change);

  test.each([
    ['of files at the root that want one id', (at: number) => [put(`%.${at}`), put(`&.${at}`)]],
    ['of new folders', (at: number) => [put(`b${at}/x`), put(`c${at}/x`)]],
    ['of files of assets', (at: number) => [put(`a/${at}/x`), put(`a/${at}/y`)]],
    [
      'that empty and fill one folder',
      (at: number): FileChange[] => [put(`a/${at}/x`), { kind: 'delete', path: 'a/' }],
    ],
    [
      'of single files',
      (at: number): FileChange[] => [
        { kind: 'delete', path: `a/${at}/x` },
        { kind: 'delete', path: 'no' },
      ],
    ],
  ])('%s', (_, change) => {
    const { user } = process.cpuUsage();
    changeManifest(large, changes(change));
    expect((process.cpuUsage().user - user) / 1e6).toBeLessThan(20);
  });
});
