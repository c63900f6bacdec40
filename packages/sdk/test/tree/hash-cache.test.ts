import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { FileIdentity } from '../../src/tree/file-identity.ts';
import { HashCache } from '../../src/tree/hash-cache.ts';
import { temporaryFolder } from '../folder.ts';

const SECOND = 1_000_000_000n;
const HASH = 'a'.repeat(64);
const FILE: FileIdentity = { size: 5, mtimeNs: 100n * SECOND + 1n, ctimeNs: 100n * SECOND + 1n, inode: 7n };
const LATER = 200n * SECOND;

function cacheIn(folder: string): HashCache {
  return new HashCache('/some/tree', folder);
}

function recorded(folder = temporaryFolder()): { folder: string; file: string } {
  const cache = cacheIn(folder);
  cache.record('arm/a b.xml', FILE, HASH, LATER);
  cache.save();
  const [name = ''] = readdirSync(join(folder, 'hashes'));
  return { folder, file: join(folder, 'hashes', name) };
}

describe('a cached hash', () => {
  test('is returned only while path, size, times and inode are the same', () => {
    const { folder } = recorded();
    expect(cacheIn(folder).get('arm/a b.xml', FILE)).toBe(HASH);
    for (const change of [{ size: 6 }, { mtimeNs: 1n }, { ctimeNs: 1n }, { inode: 8n }]) {
      expect(cacheIn(folder).get('arm/a b.xml', { ...FILE, ...change })).toBeNull();
    }
    expect(cacheIn(folder).get('arm/other.xml', FILE)).toBeNull();
  });

  test('is not returned for a folder other than its own', () => {
    const { folder } = recorded();
    expect(new HashCache('/other/tree', folder).get('arm/a b.xml', FILE)).toBeNull();
  });

  test('is not stored for a file changed just before it was read, since a later change might not show', () => {
    const cache = cacheIn(temporaryFolder());
    cache.record('a', FILE, HASH, FILE.mtimeNs + 1_000_000n);
    expect(cache.get('a', FILE)).toBeNull();
  });

  test('is stored only two seconds after a change if the file system counts whole seconds', () => {
    const whole = { ...FILE, mtimeNs: 100n * SECOND, ctimeNs: 100n * SECOND };
    const cache = cacheIn(temporaryFolder());
    cache.record('a', whole, HASH, 101n * SECOND);
    expect(cache.get('a', whole)).toBeNull();
    cache.record('a', whole, HASH, 103n * SECOND);
    expect(cache.get('a', whole)).toBe(HASH);
  });

  test('is not returned once its file is dropped', () => {
    const { folder } = recorded();
    const cache = cacheIn(folder);
    cache.keepOnly(new Set());
    cache.save();
    expect(cacheIn(folder).get('arm/a b.xml', FILE)).toBeNull();
  });
});

describe('a hash cache', () => {
  test('that is damaged anywhere counts as empty', () => {
    const { folder, file } = recorded();
    const whole = readFileSync(file);
    for (const at of [0, 20, whole.length - 10]) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(file, damaged);
      expect(cacheIn(folder).get('arm/a b.xml', FILE)).toBeNull();
    }
    writeFileSync(file, whole.subarray(0, whole.length - 1));
    expect(cacheIn(folder).get('arm/a b.xml', FILE)).toBeNull();
    writeFileSync(file, whole);
    expect(cacheIn(folder).get('arm/a b.xml', FILE)).toBe(HASH);
  });

  test('is accessible to its owner alone, and leaves no other file', () => {
    const { folder, file } = recorded();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(join(folder, 'hashes'))).toHaveLength(1);
  });

  test('that cannot be written causes no error', () => {
    const blocked = join(temporaryFolder(), 'file');
    writeFileSync(blocked, '');
    chmodSync(blocked, 0o400);
    expect(() => recordedInto(blocked)).not.toThrow();
  });
});

function recordedInto(folder: string): void {
  const cache = cacheIn(folder);
  cache.record('a', FILE, HASH, LATER);
  cache.save();
}
