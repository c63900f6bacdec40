import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { type Descriptors, ROW_BYTES } from '../../revision/descriptors.ts';

/** Bytes that are searched in one call: about a millisecond. */
const BYTES_AT_ONCE = 2 ** 20;

/** A descriptor can have several outlines near to that of a picture. */
const OUTLINES_OF_ONE = 2;

/**
 * Returns the `count` descriptors that are nearest to a query, among those that pass: by shape, or by any of their
 * outlines, as the query has it. Long searches give way to other requests.
 */
export async function nearestRows(
  { assets, tables }: Descriptors,
  query: { table: 'shapes' | 'outlines'; bytes: Int8Array },
  passes: ((asset: number) => boolean) | null,
  count: number,
): Promise<number[]> {
  // Native code that most services never need here.
  const { exactSearch, MetricKind } = await import('usearch');
  const width = query.bytes.length;
  const bytes = ROW_BYTES[query.table];
  const perRow = bytes / width;
  const table = tables[query.table];
  const rows = passes && Uint32Array.from(assets.keys()).filter((row) => passes(assets[row] as number));
  const total = rows?.length ?? assets.length;
  const step = Math.floor(BYTES_AT_ONCE / bytes);
  const gathered = rows && new Int8Array(Math.min(total, step) * bytes);
  const found: { row: number; distance: number }[] = [];
  for (let first = 0; first < total; first += step) {
    if (turnIsOver()) await nextTurn();
    const own = Math.min(step, total - first);
    const block = gathered
      ? gather(table, (rows as Uint32Array).subarray(first, first + own), bytes, gathered)
      : table.subarray(first * bytes, (first + own) * bytes);
    const wanted = Math.min(own * perRow, perRow === 1 ? count : count * OUTLINES_OF_ONE);
    const { keys, distances } = exactSearch(block, query.bytes, width, wanted, MetricKind.L2sq, 1);
    // The lower halves of 64-bit numbers, as numbers.
    const numbers = new Uint32Array(keys.buffer, keys.byteOffset, keys.length * 2);
    for (let at = 0; at < keys.length; at++) {
      const place = first + Math.floor((numbers[2 * at] as number) / perRow);
      found.push({ row: rows?.[place] ?? place, distance: distances[at] as number });
    }
  }
  found.sort((a, b) => a.distance - b.distance);
  return [...new Set(found.map(({ row }) => row))].slice(0, count);
}

function gather(table: Int8Array, rows: Uint32Array, width: number, into: Int8Array): Int8Array {
  for (const [at, row] of rows.entries())
    into.set(table.subarray(row * width, (row + 1) * width), at * width);
  return into.subarray(0, rows.length * width);
}
