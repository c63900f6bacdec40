import { LIMITS } from '@bindery/contract/limits';

export const DIMENSIONS: number = LIMITS.embedding.dimensions;

/** Rows of a block: few enough to waste little on small libraries, enough to be worth a call. */
export const BLOCK_ROWS = 2_048;

/*
 * A block holds rows of one library, each part for all rows of the block: the codes, where the full row stands in its file
 * (32-bit), and whose it is, the number of an asset (32-bit). Then come what a code is worth and the most that a row lost
 * (64-bit floats), for all rows alike. The codes come first, since usearch reads from where memory begins, whatever the
 * offset of an array.
 *
 * Stored codes consist of blocks too: whoever changes a block, or what a code means, gives `codes-file.ts` a new magic.
 */
const PER_ROW = Uint32Array.BYTES_PER_ELEMENT;
const ROWS_AT = BLOCK_ROWS * DIMENSIONS;
const ASSETS_AT = ROWS_AT + BLOCK_ROWS * PER_ROW;
const SCALE_AT = ASSETS_AT + BLOCK_ROWS * PER_ROW;
const SCALE_BYTES: number = 2 * Float64Array.BYTES_PER_ELEMENT;
export const BLOCK_BYTES: number = SCALE_AT + SCALE_BYTES;

/** How many blocks this many rows take. */
export function blocksFor(rows: number): number {
  return Math.ceil(rows / BLOCK_ROWS);
}

/** The bytes that blocks of this many rows take in a file, where the last block is cut to its rows. */
export function storedBytes(rows: number): number {
  return rows * (DIMENSIONS + 2 * PER_ROW) + blocksFor(rows) * SCALE_BYTES;
}

/** Views over the parts of a block. */
export class Block {
  readonly codes: Int8Array;
  readonly rows: Uint32Array;
  readonly assets: Uint32Array;
  readonly #scale: Float64Array;

  /** @param memory `BLOCK_BYTES` of it */
  constructor(memory: ArrayBufferLike) {
    this.codes = new Int8Array(memory, 0, ROWS_AT);
    this.rows = new Uint32Array(memory, ROWS_AT, BLOCK_ROWS);
    this.assets = new Uint32Array(memory, ASSETS_AT, BLOCK_ROWS);
    this.#scale = new Float64Array(memory, SCALE_AT, 2);
  }

  /** A row is about `unit × codes`, turned and brought to length 1. */
  get unit(): number {
    return this.#scale[0] as number;
  }

  /** The largest error of a row, as a length. */
  get error(): number {
    return this.#scale[1] as number;
  }

  setScale(unit: number, error: number): void {
    this.#scale.set([unit, error]);
  }

  codesOf(row: number): Int8Array {
    return this.codes.subarray(row * DIMENSIONS, (row + 1) * DIMENSIONS);
  }

  /** The bytes of the first `count` rows, part by part; of all rows in one piece. */
  bytesOf(count: number): Uint8Array[] {
    const memory = this.codes.buffer;
    if (count === BLOCK_ROWS) return [new Uint8Array(memory)];
    const parts = [this.codes, this.rows, this.assets].map(
      ({ byteOffset, byteLength }) => new Uint8Array(memory, byteOffset, (byteLength / BLOCK_ROWS) * count),
    );
    return [...parts, new Uint8Array(memory, SCALE_AT, SCALE_BYTES)];
  }
}
