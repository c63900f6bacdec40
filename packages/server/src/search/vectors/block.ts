import { LIMITS } from '@bindery/contract';

export const DIMENSIONS: number = LIMITS.embedding.dimensions;

/** Rows of a block, so that small libraries waste little. */
export const BLOCK_ROWS = 256;

/*
 * A block holds rows of one library one after another, in 7 bits per number, each part for all rows of the block: the
 * codes, what a code is worth (32-bit float), where the full row stands in its file (32-bit), and whose it is, the number
 * of an asset (32-bit). Every part starts at a multiple of 16 bytes.
 */
const PER_ROW = 4;
export const CODES_AT = 0;
export const SCALES_AT: number = CODES_AT + BLOCK_ROWS * DIMENSIONS;
export const ROWS_AT: number = SCALES_AT + BLOCK_ROWS * PER_ROW;
export const ASSETS_AT: number = ROWS_AT + BLOCK_ROWS * PER_ROW;
export const BLOCK_BYTES: number = ASSETS_AT + BLOCK_ROWS * PER_ROW;

/** A code is 0 to 127; this one stands for zero. */
export const ZERO_CODE = 64;
export const LARGEST_STEP = 63;

/** How many blocks so many rows take. */
export function blocksFor(rows: number): number {
  return Math.ceil(rows / BLOCK_ROWS);
}
