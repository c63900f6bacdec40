import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DiskThumbnails } from '../../src/adapters/thumbnails/disk-cache.ts';

const log = pino({ level: 'silent' });
const KILOBYTE = new Uint8Array(1_000);

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bindery-thumbnails-'));
});
afterEach(() => rm(folder, { recursive: true }));

const thumbnail = (at: number) => ({ storeId: 'store', sha256: String(at), width: 160 });
const kept = async () => (await readdir(join(folder, 'store'))).length;

test('cached thumbnails are still there after a restart', async () => {
  const options = { folder, maxBytes: 10_000, log };
  await new DiskThumbnails(options).write(thumbnail(1), KILOBYTE);
  expect(await new DiskThumbnails(options).read(thumbnail(1))).toHaveLength(1_000);
  expect(await new DiskThumbnails(options).read(thumbnail(2))).toBeNull();
});

test('the thumbnail cache exceeds its limit by at most an eighth, and evicts the least recently used first', async () => {
  const cache = new DiskThumbnails({ folder, maxBytes: 10_000, log });
  await cache.write(thumbnail(0), KILOBYTE);
  for (let at = 1; at <= 8; at++) {
    await cache.write(thumbnail(at), KILOBYTE);
    await utimes(join(folder, 'store', `${at}-160.webp`), 1_000 + at, 1_000 + at);
  }
  await utimes(join(folder, 'store', '0-160.webp'), 0, 0);
  await cache.read(thumbnail(0));
  for (let at = 9; at < 15; at++) {
    await cache.write(thumbnail(at), KILOBYTE);
    expect(await kept()).toBeLessThanOrEqual(11);
  }
  expect(await cache.read(thumbnail(1))).toBeNull();
  expect(await cache.read(thumbnail(0))).not.toBeNull();
  expect(await cache.read(thumbnail(14))).not.toBeNull();
});

test('a folder that cannot be written caches no thumbnails and causes no error', async () => {
  const file = join(folder, 'file');
  await writeFile(file, '');
  const cache = new DiskThumbnails({ folder: file, maxBytes: 10_000, log });
  await cache.write(thumbnail(1), KILOBYTE);
  expect(await cache.read(thumbnail(1))).toBeNull();
});

test('forgetting a store deletes its cached thumbnails', async () => {
  const cache = new DiskThumbnails({ folder, maxBytes: 10_000, log });
  await cache.write(thumbnail(1), KILOBYTE);
  await cache.deleteStore('store');
  await cache.deleteStore('never seen');
  expect(await cache.read(thumbnail(1))).toBeNull();
});
