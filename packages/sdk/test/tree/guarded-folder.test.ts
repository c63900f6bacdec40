import {
  closeSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { GuardedFolder } from '../../src/tree/guarded-folder.ts';
import { folderWith, temporaryFolder } from '../folder.ts';

function put(folder: GuardedFolder, path: string, content: string): void {
  const descriptor = folder.openSibling(path, '.under-way');
  writeSync(descriptor, content);
  closeSync(descriptor);
  folder.putInPlace(path, '.under-way');
}

describe('a guarded folder', () => {
  test('is created if it is missing, with the folders of each path', () => {
    const root = join(temporaryFolder(), 'new/deep');
    expect(GuardedFolder.open(root)).toBeNull();
    const folder = GuardedFolder.openOrCreate(root);
    put(folder, 'a/b/c/file.txt', 'content');
    folder.close();
    expect(readFileSync(join(root, 'a/b/c/file.txt'), 'utf8')).toBe('content');
  });

  test('is not created where a file exists', () => {
    const file = join(folderWith({ file: 'content' }), 'file');
    expect(() => GuardedFolder.openOrCreate(file)).toThrow(/is not a folder/);
    expect(() => GuardedFolder.openOrCreate(join(file, 'deeper'))).toThrow(/is not a folder/);
  });

  test.runIf(process.platform === 'linux')('is not created where the system does not allow it', () => {
    expect(() => GuardedFolder.openOrCreate('/proc/bindery/deeper')).toThrow(/cannot be created/);
  });

  test('names the path of the user in errors of the system', () => {
    const root = temporaryFolder();
    const folder = GuardedFolder.openOrCreate(root);
    const at = (path: string) =>
      expect.objectContaining({ code: 'ENAMETOOLONG', path: join(folder.root, path) });
    expect(() => folder.openSibling('a/file.txt', 'x'.repeat(300))).toThrow(at('a/file.txt'));
    const long = 'x'.repeat(300);
    expect(() => folder.openSibling(`a/${long}/file.txt`, '.under-way')).toThrow(at(`a/${long}`));
    folder.close();
  });

  test('can itself be reached through a link', () => {
    const real = temporaryFolder();
    const link = join(temporaryFolder(), 'link');
    symlinkSync(real, link);
    const folder = GuardedFolder.openOrCreate(link);
    put(folder, 'file.txt', 'content');
    folder.close();
    expect(existsSync(join(real, 'file.txt'))).toBe(true);
  });

  test('can write to more folders than it keeps open', () => {
    const root = temporaryFolder();
    const folder = GuardedFolder.openOrCreate(root);
    const paths = Array.from({ length: 300 }, (_, at) => `folder-${at}/inner/file.txt`);
    for (const path of [...paths, ...paths]) put(folder, path, path);
    folder.close();
    for (const path of paths) expect(readFileSync(join(root, path), 'utf8')).toBe(path);
  });

  test('never inspects, writes or removes a file through a link, at any depth', () => {
    const outside = folderWith({ 'inner/file.txt': 'precious' });
    for (const link of ['a', 'a/b', 'a/b/c']) {
      const root = temporaryFolder();
      mkdirSync(join(root, link, '..'), { recursive: true });
      symlinkSync(outside, join(root, link));
      const folder = GuardedFolder.openOrCreate(root);
      const path = `${link}/inner/file.txt`;
      expect(() => folder.lstat(path)).toThrow(/is a link or a file here/);
      expect(() => put(folder, path, 'wrong')).toThrow(/is a link or a file here/);
      expect(() => folder.remove(path)).toThrow(/is a link or a file here/);
      folder.close();
    }
    expect(readdirSync(join(outside, 'inner'))).toEqual(['file.txt']);
    expect(readFileSync(join(outside, 'inner/file.txt'), 'utf8')).toBe('precious');
  });

  test('writes nothing outside if a folder in use is replaced by a link', () => {
    const outside = temporaryFolder();
    const root = temporaryFolder();
    const folder = GuardedFolder.openOrCreate(root);
    put(folder, 'a/one.txt', 'one');
    rmSync(join(root, 'a'), { recursive: true });
    symlinkSync(outside, join(root, 'a'));
    expect(() => put(folder, 'a/two.txt', 'two')).toThrow();
    folder.close();
    expect(readdirSync(outside)).toEqual([]);
  });
});
