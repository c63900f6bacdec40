import { beforeEach, expect, test } from 'vitest';
import { RevisionCache } from '../../src/objects/revision-cache.ts';
import type { ObjectAddress } from '../../src/objects/store.ts';
import { encodeRevisionIndex } from '../../src/revision/encode-index.ts';
import { encodeSections } from '../../src/revision/sections.ts';

const bytes = Buffer.concat(
  encodeSections(
    encodeRevisionIndex(
      { manifest: { schema: 'bindery.assets/v1', assets: [] }, files: [], places: new Uint32Array() },
      [],
    ),
  ),
);

/** Objects that all hold the same index; counts how often each was read. */
let reads: string[];
let failure: Error | null;
const objects = {
  async read({ sha256 }: ObjectAddress): Promise<Buffer> {
    reads.push(sha256);
    await new Promise(setImmediate);
    if (failure) throw failure;
    return Buffer.from(bytes);
  },
};
const address = (sha256: string) => ({ storeId: 'store', sha256 });

beforeEach(() => {
  reads = [];
  failure = null;
});

test('concurrent requests share one load, and later ones reuse the opened index', async () => {
  const cache = new RevisionCache(objects, 10 * bytes.length);
  const [first, second] = await Promise.all([cache.load(address('a')), cache.load(address('a'))]);
  expect(first).toBe(second);
  expect(await cache.load(address('a'))).toBe(first);
  expect(reads).toEqual(['a']);
});

test('the same hash in another store is loaded separately', async () => {
  const cache = new RevisionCache(objects, 10 * bytes.length);
  await cache.load(address('a'));
  await cache.load({ storeId: 'other', sha256: 'a' });
  expect(reads).toEqual(['a', 'a']);
});

test('the least recently used index is evicted when the cache is full', async () => {
  const cache = new RevisionCache(objects, 2 * bytes.length);
  for (const name of ['a', 'b', 'a', 'c']) await cache.load(address(name));
  expect(cache.byteLength).toBe(2 * bytes.length);
  reads = [];
  await cache.load(address('a'));
  expect(reads).toEqual([]);
  await cache.load(address('b'));
  expect(reads).toEqual(['b']);
});

test('an index larger than the whole cache is returned but not cached', async () => {
  const cache = new RevisionCache(objects, bytes.length - 1);
  expect((await cache.load(address('a'))).assetCount).toBe(0);
  expect(cache.byteLength).toBe(0);
});

test('a failed load is retried by the next request', async () => {
  const cache = new RevisionCache(objects, 10 * bytes.length);
  failure = new Error('the disk is away');
  const both = await Promise.allSettled([cache.load(address('a')), cache.load(address('a'))]);
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  failure = null;
  expect((await cache.load(address('a'))).assetCount).toBe(0);
  expect(reads).toEqual(['a', 'a']);
});
