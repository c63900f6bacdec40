import { expect, test } from 'vitest';
import { BLOCK_BYTES } from '../../src/revision/vectors/block.ts';
import { BlockPool } from '../../src/search/vectors/vector-cache.ts';

const memoryOf = (pool: BlockPool) => pool.blocks.reduce((sum, { byteLength }) => sum + byteLength, 0);

test('a pool allocates memory only for blocks lent at the same time, and reuses it for later loans', () => {
  const pool = new BlockPool(1_000 * BLOCK_BYTES);
  expect(memoryOf(pool)).toBe(0);

  const first = pool.lend(3) as Uint32Array;
  expect(memoryOf(pool)).toBe(3 * BLOCK_BYTES);

  pool.giveBack(first);
  pool.lend(2);
  expect(memoryOf(pool)).toBe(3 * BLOCK_BYTES);
  expect(pool.byteLength).toBe(3 * BLOCK_BYTES);
});

test('a pool lends at most as many blocks as its memory limit allows', () => {
  const pool = new BlockPool(4 * BLOCK_BYTES);
  expect(pool.lend(5)).toBeNull();
  expect(pool.lend(4)).toEqual(Uint32Array.of(0, 1, 2, 3));
  expect(pool.lend(1)).toBeNull();
});
