import { LIMITS } from '@bindery/contract';

export const DIMENSIONS: number = LIMITS.embedding.dimensions;

/** Rows of a block, so that small libraries waste little. */
export const BLOCK_ROWS = 256;

/** Bytes that one instruction works on. */
export const LANES = 16;

/** Bits of a code that are read of every row, and those that are read only where the first leave it in doubt. */
export const COARSE_BITS = 2;
export const FINE_BITS = 4;

/** Codes are 0 to one less than this. */
export const CODES: number = 2 ** (COARSE_BITS + FINE_BITS);

/** What stands for zero between the codes, and between those of which only the upper bits are known. */
export const ZERO: number = (CODES - 1) / 2;
export const COARSE_ZERO: number = (CODES - 2 ** FINE_BITS) / 2;

/*
 * A block holds rows of one library one after another, each part for all rows of the block: the upper bits of the codes,
 * the lower bits, what a unit of either estimate is worth (32-bit floats), where the full row stands in its file (32-bit),
 * and whose it is, the number of an asset (32-bit). Every part starts at a multiple of 16 bytes.
 */
const PER_ROW = 4;
export const COARSE_BYTES: number = (DIMENSIONS * COARSE_BITS) / 8;
export const FINE_BYTES: number = (DIMENSIONS * FINE_BITS) / 8;
export const COARSE_AT = 0;
export const FINE_AT: number = COARSE_AT + BLOCK_ROWS * COARSE_BYTES;
export const COARSE_SCALES_AT: number = FINE_AT + BLOCK_ROWS * FINE_BYTES;
export const FINE_SCALES_AT: number = COARSE_SCALES_AT + BLOCK_ROWS * PER_ROW;
export const ROWS_AT: number = FINE_SCALES_AT + BLOCK_ROWS * PER_ROW;
export const ASSETS_AT: number = ROWS_AT + BLOCK_ROWS * PER_ROW;
export const BLOCK_BYTES: number = ASSETS_AT + BLOCK_ROWS * PER_ROW;

/** How many blocks so many rows take. */
export function blocksFor(rows: number): number {
  return Math.ceil(rows / BLOCK_ROWS);
}
