import { createHash } from 'node:crypto';
import { rmSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { HashCache } from '../../src/tree/hash-cache.ts';
import { EarlyHashes } from '../../src/tree/hashing.ts';
import { type ScannedFile, scanTree } from '../../src/tree/scan.ts';
import { temporaryFolder } from '../folder.ts';

const MEBIBYTE = 1024 * 1024;

/** A folder with this many files of 20 MiB, which no cache knows, old enough for their hashes to be cached. */
async function folderOf(count: number): Promise<string> {
  const folder = temporaryFolder();
  for (let nth = 0; nth < count; nth++) {
    const file = join(folder, `${nth}.bin`);
    writeFileSync(file, `file ${nth}`);
    truncateSync(file, 20 * MEBIBYTE);
  }
  await sleep(50);
  return folder;
}

function hashOf(nth: number): string {
  return createHash('sha256')
    .update(`file ${nth}`.padEnd(20 * MEBIBYTE, '\0'))
    .digest('hex');
}

/** Keeps this thread from its event loop. */
function block(milliseconds: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, milliseconds);
}

/** Hashes these files early, for longer and longer until the threads have hashed some. */
async function hashEarly(root: string, files: readonly ScannedFile[]): Promise<HashCache> {
  for (let milliseconds = 100; ; milliseconds *= 2) {
    const cache = new HashCache(root, temporaryFolder());
    const hashes = EarlyHashes.start(root, files, cache);
    block(milliseconds);
    await hashes?.finish(cache);
    if (milliseconds > 10_000 || files.some((file) => cache.get(file.path, file) !== null)) return cache;
  }
}

test('files are hashed while the calling thread does something else', async () => {
  const root = await folderOf(4);
  const { files } = scanTree(root);
  const cache = await hashEarly(root, files);
  const hashed = files
    .map((file) => [file.path, cache.get(file.path, file)])
    .filter(([, hash]) => hash !== null);
  expect(hashed.length).toBeGreaterThan(0);
  expect(hashed).toEqual(hashed.map(([path]) => [path, hashOf(Number.parseInt(String(path), 10))]));
});

test('a file that is deleted meanwhile has no hash, and the others do', async () => {
  const root = await folderOf(4);
  const { files } = scanTree(root);
  const [deleted, ...others] = files as [ScannedFile, ...ScannedFile[]];
  rmSync(join(root, deleted.path));
  const cache = await hashEarly(root, files);
  expect(cache.get(deleted.path, deleted)).toBeNull();
  expect(others.some((file) => cache.get(file.path, file) !== null)).toBe(true);
});

test('little is not hashed early, and neither is what the cache knows', async () => {
  const few = await folderOf(3);
  expect(EarlyHashes.start(few, scanTree(few).files, new HashCache(few, temporaryFolder()))).toBeNull();

  const root = await folderOf(4);
  const { files } = scanTree(root);
  const cache = new HashCache(root, temporaryFolder());
  for (const file of files) cache.record(file.path, file, 'a'.repeat(64), BigInt(Date.now()) * 1_000_000n);
  expect(EarlyHashes.start(root, files, cache)).toBeNull();
});
