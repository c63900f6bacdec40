import type { OpenFile } from '../local-files.ts';
import { BLOCK_ROWS, type Block, DIMENSIONS } from './block.ts';
import { RowCoder, unitFor } from './codes.ts';
import type { OwnedRow } from './searched-rows.ts';

interface ReachingRow extends OwnedRow {
  /** The magnitude of the largest component of the rotated row. */
  reach: number;
}

/**
 * Codes rows of a matrix into blocks, one block at a time. Rows of similar reach share a block, so that they lose
 * little precision to its common unit. Blocks the calling thread.
 *
 * @param matrix 32-bit floats, every row of which can be compared
 */
export function* codeBlocks(
  matrix: OpenFile,
  searched: readonly OwnedRow[],
  blockAt: (number: number) => Block,
): Generator<{ block: Block; count: number }> {
  const coder = new RowCoder();
  const numbers = new Float32Array(DIMENSIONS);
  const take = (row: number) => {
    matrix.fill(numbers, row * numbers.byteLength);
    return coder.take(numbers);
  };
  const byReach = searched
    .map(({ asset, row }): ReachingRow => ({ asset, row, reach: take(row) }))
    .sort((a, b) => a.reach - b.reach || a.asset - b.asset);
  for (let first = 0; first < byReach.length; first += BLOCK_ROWS) {
    const rows = byReach.slice(first, first + BLOCK_ROWS);
    const block = blockAt(first / BLOCK_ROWS);
    const unit = unitFor((rows.at(-1) as ReachingRow).reach);
    let error = 0;
    for (const [at, { asset, row }] of rows.entries()) {
      take(row);
      error = Math.max(error, coder.encode(block.codesOf(at), unit));
      block.rows[at] = row;
      block.assets[at] = asset;
    }
    block.setScale(unit, error);
    yield { block, count: rows.length };
  }
}
