import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { discoverLibrary } from '../../src/local-discovery/discover-library.ts';
import { folderWith, temporaryFolder, writeFiles } from '../folder.ts';
import { MIXED_LIBRARY } from './mixed-library.ts';
import { urdf } from './models.ts';

describe('a folder that was discovered before', () => {
  let folder: string;
  let cacheFolder: string;
  const discover = () => discoverLibrary(folder, { cacheFolder });
  const memory = () => {
    const [name = ''] = readdirSync(join(cacheFolder, 'folders'));
    return join(cacheFolder, 'folders', name);
  };

  beforeEach(async () => {
    folder = folderWith({ ...MIXED_LIBRARY, ...MACROS });
    cacheFolder = temporaryFolder();
    // What was written this very moment is not remembered.
    const isRemembered = () => {
      discover();
      return existsSync(join(cacheFolder, 'folders'));
    };
    await vi.waitUntil(isRemembered, { timeout: 10_000 });
    rmSync(join(cacheFolder, 'facts'), { recursive: true });
  });

  test('gives the same result without examining a file if nothing changed', () => {
    expect(discover()).toEqual(discoverLibrary(folder));
    expect(existsSync(join(cacheFolder, 'facts'))).toBe(false);
  });

  test('gives the same assets, with their new sizes, if files changed in nothing that they depend on', () => {
    const model = 'makers/acme/hand/urdf/hand.urdf';
    const { size } = statSync(join(folder, model));
    appendFileSync(join(folder, model), '<!-- nothing new -->');
    expect(discover()).toEqual(discoverLibrary(folder));
    const sizes = discover().assets.flatMap(({ files }) => files.map((file) => [file.path, file.size]));
    expect(sizes).toContainEqual([model, size + 20]);
    expect(existsSync(join(cacheFolder, 'facts'))).toBe(false);
  });

  test.each<[string, () => void]>([
    [
      'a file that macros include has changed',
      () => writeFiles(folder, { 'macros/parts.xacro': PARTS('b') }),
    ],
    ['a file has changed', () => writeFiles(folder, { [firstModel(folder)]: urdf('elsewhere.stl') })],
    ['a file is deleted', () => rmSync(join(folder, firstModel(folder)))],
    ['a file is added', () => writeFiles(folder, { 'new/new.urdf': urdf('a.stl') })],
    ['bindery.yml has changed', () => writeFiles(folder, { 'bindery.yml': 'defaults:\n  license: MIT\n' })],
  ])('is examined again once %s', (_what, change) => {
    change();
    expect(discover()).toEqual(discoverLibrary(folder));
    expect(existsSync(join(cacheFolder, 'facts'))).toBe(true);
  });

  test('is examined again if a file has new content with its old size and modification time', () => {
    const path = join(folder, firstModel(folder));
    const { atime, mtime } = statSync(path);
    writeFileSync(path, readFileSync(path, 'latin1').replace(/[a-z]/, 'X'), 'latin1');
    utimesSync(path, atime, mtime);
    expect(discover()).toEqual(discoverLibrary(folder));
    expect(existsSync(join(cacheFolder, 'facts'))).toBe(true);
  });

  test('is examined again if the remembered result is damaged', () => {
    const stored = readFileSync(memory(), 'utf8');
    writeFileSync(memory(), stored.replace('"kind":"', '"kind":"x'));
    expect(discover()).toEqual(discoverLibrary(folder));
    expect(existsSync(join(cacheFolder, 'facts'))).toBe(true);
  });
});

const PARTS = (mesh: string) => `<robot xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:property name="mesh" value="${mesh}.stl"/>
</robot>`;

const MACROS = {
  'macros/arm.xacro': `<robot name="arm" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:include filename="parts.xacro"/>
  <link name="base"><visual><geometry><mesh filename="\${mesh}"/></geometry></visual></link>
</robot>`,
  'macros/parts.xacro': PARTS('a'),
  'macros/a.stl': 'solid',
};

function firstModel(folder: string): string {
  const [asset] = discoverLibrary(folder).assets.filter(({ kind }) => kind === 'urdf');
  return asset?.entry ?? '';
}
