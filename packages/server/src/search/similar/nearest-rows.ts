import { nextTurn, turnIsOver } from '../../process/turns.ts';
import { type Descriptors, ROW_BYTES } from '../../revision/descriptors.ts';

/** Rows that are searched in one call: about a millisecond. */
const ROWS_AT_ONCE = 8_192;

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
  const perRow = ROW_BYTES[query.table] / width;
  const table = tables[query.table];
  const rows = passes && Uint32Array.from(assets.keys()).filter((row) => passes(assets[row] as number));
  const total = rows?.length ?? assets.length;
  const gathered = rows && new Int8Array(Math.min(total, ROWS_AT_ONCE) * ROW_BYTES[query.table]);
  const step = Math.max(1, Math.floor(ROWS_AT_ONCE / perRow));
  const found: { row: number; distance: number }[] = [];
  for (let first = 0; first < total; first += step) {
    if (turnIsOver()) await nextTurn();
    const own = Math.min(step, total - first);
    const block = gathered
      ? gather(table, (rows as Uint32Array).subarray(first, first + own), ROW_BYTES[query.table], gathered)
      : table.subarray(first * ROW_BYTES[query.table], (first + own) * ROW_BYTES[query.table]);
    const wanted = Math.min(own * perRow, count * perRow);
    const { keys, distances } = exactSearch(block, query.bytes, width, wanted, MetricKind.L2sq, 1);
    for (const [at, key] of keys.entries()) {
      const place = first + Math.floor(Number(key) / perRow);
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
