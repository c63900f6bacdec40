import { LIMITS } from '@bindery/contract/limits';

export const DIMENSIONS: number = LIMITS.embedding.dimensions;

/** Rows per block: few enough to waste little on small libraries, enough to be worth a call. */
export const BLOCK_ROWS = 2_048;

/*
 * A block contains rows of one library, column by column: the codes, the positions of the full rows in their file
 * (32-bit), and the numbers of their assets (32-bit). Then follow the unit of the codes and the largest error of a row
 * (64-bit floats), shared by all rows. The codes come first because usearch reads from the start of the memory,
 * whatever the offset of an array.
 *
 * Stored codes consist of blocks too: changing a block, or the meaning of a code, requires a new magic in
 * `codes-file.ts`.
 */
const PER_ROW = Uint32Array.BYTES_PER_ELEMENT;
const ROWS_AT = BLOCK_ROWS * DIMENSIONS;
const ASSETS_AT = ROWS_AT + BLOCK_ROWS * PER_ROW;
const SCALE_AT = ASSETS_AT + BLOCK_ROWS * PER_ROW;
const SCALE_BYTES: number = 2 * Float64Array.BYTES_PER_ELEMENT;
export const BLOCK_BYTES: number = SCALE_AT + SCALE_BYTES;

/** A row of the matrix, and the number of its asset in the revision. */
export interface OwnedRow {
  asset: number;
  row: number;
}

/** Returns how many blocks the given number of rows needs. */
export function blocksFor(rows: number): number {
  return Math.ceil(rows / BLOCK_ROWS);
}

/** Returns the size in a file of the blocks of the given number of rows, the last one cut to its rows. */
export function storedBytes(rows: number): number {
  return rows * (DIMENSIONS + 2 * PER_ROW) + blocksFor(rows) * SCALE_BYTES;
}

/** Views over the parts of a block. */
export class Block {
  readonly codes: Int8Array;
  readonly rows: Uint32Array;
  readonly assets: Uint32Array;
  readonly #scale: Float64Array;

  /** @param memory `BLOCK_BYTES` long */
  constructor(memory: ArrayBufferLike) {
    this.codes = new Int8Array(memory, 0, ROWS_AT);
    this.rows = new Uint32Array(memory, ROWS_AT, BLOCK_ROWS);
    this.assets = new Uint32Array(memory, ASSETS_AT, BLOCK_ROWS);
    this.#scale = new Float64Array(memory, SCALE_AT, 2);
  }

  /** A row, rotated and scaled to length 1, is about `unit × codes`. */
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

  /** Returns the bytes of the first `count` rows, column by column; as a single piece if the block is full. */
  bytesOf(count: number): Uint8Array[] {
    const memory = this.codes.buffer;
    if (count === BLOCK_ROWS) return [new Uint8Array(memory)];
    const parts = [this.codes, this.rows, this.assets].map(
      ({ byteOffset, byteLength }) => new Uint8Array(memory, byteOffset, (byteLength / BLOCK_ROWS) * count),
    );
    return [...parts, new Uint8Array(memory, SCALE_AT, SCALE_BYTES)];
  }
}
