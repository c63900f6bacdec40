import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { type DescriptorRows, type DescriptorTable, ROW_BYTES } from '../../revision/descriptors.ts';

/** Rows that are compared before others get a turn: a fraction of a millisecond. */
const ROWS_AT_ONCE = 1_024;
/** Numbers that are compared before a row that is too far is left. */
const NUMBERS_AT_ONCE = 7;

interface FoundRow {
  row: number;
  /** The square of the distance. */
  apart: number;
}

/** What descriptors are compared with: by shape, or by any of their outlines. */
export interface RowQuery<Table extends DescriptorTable = 'shapes' | 'outlines'> {
  table: Table;
  bytes: Int8Array;
  /** Rows that are farther have nothing in common with it. */
  farthest: number;
}

/**
 * Returns the `count` descriptors from row `first` up to, not including, `end` that are nearest to a query, among those
 * that pass. Long searches give way to other requests.
 */
export async function nearestRows<Table extends DescriptorTable>(
  { assets, tables }: DescriptorRows<Table>,
  query: RowQuery<Table>,
  { first, end }: { first: number; end: number },
  passes: ((asset: number) => boolean) | null,
  count: number,
): Promise<number[]> {
  const table = tables[query.table];
  const width = ROW_BYTES[query.table];
  let found: FoundRow[] = [];
  let most = query.farthest ** 2;
  for (let row = first; row < end; row++) {
    if (row % ROWS_AT_ONCE === 0 && turnIsOver()) await nextTurn();
    if (passes?.(assets[row] as number) === false) continue;
    const apart = leastSquare(table, row * width, (row + 1) * width, query.bytes, most);
    if (apart >= most) continue;
    found.push({ row, apart });
    if (found.length < 4 * count) continue;
    found = nearestOf(found, count);
    most = found.at(-1)?.apart ?? most;
  }
  return nearestOf(found, count).map(({ row }) => row);
}

function nearestOf(found: FoundRow[], count: number): FoundRow[] {
  return found.sort((a, b) => a.apart - b.apart || a.row - b.row).slice(0, count);
}

/** The square of the distance to the nearest of what a row has; only some number above `most` if it is larger. */
function leastSquare(table: Int8Array, start: number, end: number, query: Int8Array, most: number): number {
  const { length } = query;
  let least = most;
  for (let first = start; first < end; first += length) {
    let square = 0;
    for (let at = 0; at < length && square < least; ) {
      const stop = Math.min(length, at + NUMBERS_AT_ONCE);
      for (; at < stop; at++) {
        const difference = (table[first + at] as number) - (query[at] as number);
        square += difference * difference;
      }
    }
    if (square < least) least = square;
  }
  return least;
}
