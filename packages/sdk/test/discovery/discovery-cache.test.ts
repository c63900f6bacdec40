import { existsSync, readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
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
    folder = folderWith(MIXED_LIBRARY);
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

  test.each<[string, () => void]>([
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

function firstModel(folder: string): string {
  const [asset] = discoverLibrary(folder).assets.filter(({ kind }) => kind === 'urdf');
  return asset?.entry ?? '';
}
