import { nextTurn, turnIsOver } from '../../process/turns.ts';
import type { ValueFacet } from '../../revision/derived-values.ts';
import type { ValueIndex } from '../../revision/values.ts';
import { minTopCount, type ValueCount } from '../facets.ts';

/** How many values are read between checks whether to yield. */
const STRIDE = 64;

/** How often each of the values of a facet in a source counts, from the place `first` on. */
export interface CountedValues {
  facet: ValueFacet;
  values: ValueIndex;
  first: number;
  counts: Uint32Array;
}

/**
 * Adds up counts of several sources; returns at least the `kept` most frequent values and those with the keys `asked`.
 * Few others are read: as many as are kept have `bound` in one source alone, and what has as many in all has its share
 * in one of them.
 */
export async function topValues(
  columns: readonly CountedValues[],
  kept: number,
  asked: Iterable<string> = [],
): Promise<ValueCount[]> {
  const bound = Math.max(1, ...columns.map(({ counts }) => minTopCount(counts, kept)));
  const least = Math.ceil(bound / columns.length);
  const keys = new Set(asked);
  for (const { facet, values, first, counts } of columns) {
    for (let at = 0; at < counts.length; at++) {
      if ((counts[at] as number) >= least) keys.add(values.folded(facet, first + at));
      if (at % STRIDE === 0 && turnIsOver()) await nextTurn();
    }
  }
  const top: ValueCount[] = [];
  for (const key of keys) {
    const found: ValueCount = { key, value: '', count: 0 };
    let most = 0;
    for (const { facet, values, first, counts } of columns) {
      const place = values.placeOf(facet, key);
      const own = place < 0 ? 0 : (counts[place - first] ?? 0);
      found.count += own;
      if (own > most) [most, found.value] = [own, values.spelling(place)];
    }
    if (found.count > 0) top.push(found);
    if (turnIsOver()) await nextTurn();
  }
  return top;
}
