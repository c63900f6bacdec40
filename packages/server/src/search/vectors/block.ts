import { LIMITS } from '@bindery/contract/limits';

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
 *
 * Stored codes consist of blocks too: whoever changes a block, or what a code means, gives `codes-file.ts` a new magic.
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

/** Views over the parts of a block. */
export class Block {
  readonly coarse: Uint8Array;
  readonly fine: Uint8Array;
  readonly coarseScales: Float32Array;
  readonly fineScales: Float32Array;
  readonly rows: Uint32Array;
  readonly assets: Uint32Array;
  readonly #bytes: Uint8Array;

  /** @param start bytes from the start of the memory; a multiple of 4 */
  constructor(memory: ArrayBufferLike, start = 0) {
    this.coarse = new Uint8Array(memory, start + COARSE_AT, BLOCK_ROWS * COARSE_BYTES);
    this.fine = new Uint8Array(memory, start + FINE_AT, BLOCK_ROWS * FINE_BYTES);
    this.coarseScales = new Float32Array(memory, start + COARSE_SCALES_AT, BLOCK_ROWS);
    this.fineScales = new Float32Array(memory, start + FINE_SCALES_AT, BLOCK_ROWS);
    this.rows = new Uint32Array(memory, start + ROWS_AT, BLOCK_ROWS);
    this.assets = new Uint32Array(memory, start + ASSETS_AT, BLOCK_ROWS);
    this.#bytes = new Uint8Array(memory, start, BLOCK_BYTES);
  }

  /** The bytes of the first so many rows, part by part; those of all rows in one piece. */
  bytesOf(count: number): Uint8Array[] {
    if (count === BLOCK_ROWS) return [this.#bytes];
    const parts = [this.coarse, this.fine, this.coarseScales, this.fineScales, this.rows, this.assets];
    return parts.map(
      ({ buffer, byteOffset, byteLength }) =>
        new Uint8Array(buffer, byteOffset, (byteLength / BLOCK_ROWS) * count),
    );
  }
}
