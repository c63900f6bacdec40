import { describe, expect, test } from 'vitest';
import { Hits } from '../../src/search/hits.ts';

const LARGE = 2_500_000;

/** Hits of one search that finds every one of so many documents. */
function findAll(documents: number): Hits {
  const hits = new Hits(1);
  hits.add(0, new Uint16Array(documents).fill(1), null);
  return hits;
}

const memoryOf = (hits: Hits) => hits.of(0).keys.buffer;

/** The memory of those that can hold millions; searches of the process before these may have left them more than they need. */
const largeMemoryOf = (...searches: Hits[]) =>
  new Set(
    searches.map(memoryOf).filter(({ byteLength }) => byteLength >= LARGE * Uint16Array.BYTES_PER_ELEMENT),
  );

describe('the memory of a search with millions of hits', () => {
  test('is reused by the next such search, even if a small one is released in between', () => {
    const first = findAll(LARGE);
    const small = findAll(10);
    const memory = largeMemoryOf(first, small);
    first.release();
    small.release();
    const next = findAll(LARGE);
    expect(memory.has(memoryOf(next))).toBe(true);
    next.release();
  });

  test('is kept even if many smaller searches released theirs before', () => {
    const fewer = Array.from({ length: 12 }, () => findAll(LARGE / 3));
    const largest = findAll(LARGE);
    const memory = largeMemoryOf(...fewer, largest);
    for (const hits of [...fewer, largest]) hits.release();
    const next = findAll(LARGE);
    expect(memory.has(memoryOf(next))).toBe(true);
    next.release();
  });

  test('is kept for at most four such searches', () => {
    const searches = Array.from({ length: 8 }, () => findAll(LARGE));
    const memories = new Set(searches.map(memoryOf));
    for (const hits of searches) hits.release();
    const again = Array.from({ length: 8 }, () => findAll(LARGE));
    const kept = again.filter((hits) => memories.has(memoryOf(hits))).length;
    expect(kept).toBeGreaterThan(0);
    expect(kept).toBeLessThanOrEqual(4);
    for (const hits of again) hits.release();
  });
});
