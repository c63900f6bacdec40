import { compareUtf8, LIMITS } from '@bindery/contract';

/** How many hits have a value; `key` identifies the value. */
export interface ValueCount {
  key: string;
  value: string;
  count: number;
}

/** Returns the most frequent values and all `asked` ones (by key), with a count of 0 if they were not counted. */
export function mostFrequent(
  counts: Iterable<ValueCount>,
  asked: ReadonlyMap<string, string> = new Map(),
): { value: string; count: number }[] {
  const sorted = [...counts].sort((a, b) => b.count - a.count || compareUtf8(a.key, b.key));
  const top = sorted.slice(0, LIMITS.facetValues - asked.size);
  const shown = new Set(top.map(({ key }) => key));
  const added = [...asked]
    .filter(([key]) => !shown.has(key))
    .map(([key, value]) => sorted.find((one) => one.key === key) ?? { key, value, count: 0 });
  return [...added, ...top].map(({ value, count }) => ({ value, count }));
}

/**
 * Returns the lowest count that can be among the `kept` highest, given that none exceeds `most`. If there is only one
 * index, values with lower counts need not be read.
 */
export function minTopCount(counts: Uint32Array, most: number, kept: number): number {
  const having = new Uint32Array(most + 1);
  for (let at = 0; at < counts.length; at++) {
    const count = counts[at] as number;
    having[count] = (having[count] as number) + 1;
  }
  let shown = 0;
  for (let count = most; count > 1; count--) {
    shown += having[count] as number;
    if (shown >= kept) return count;
  }
  return 1;
}
