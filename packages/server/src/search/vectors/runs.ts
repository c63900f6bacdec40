import { exactSearch, MetricKind } from 'usearch';
import { BLOCK_ROWS, Block, DIMENSIONS } from '../../revision/vectors/block.ts';
import type { ScanPart } from './scan-part.ts';

/** Rows of a block that are searched in one call. */
export interface Run {
  part: ScanPart;
  block: Block;
  count: number;
  /** The rows of the block that pass the filter; null for its first `count` rows, if there is no filter. */
  some: Uint32Array | null;
}

/** Rows of a block with the dot products of their codes with those of a query, highest first. */
export interface NearestOfRun {
  rows: Uint32Array;
  products: Float32Array;
}

/** Codes in blocks of shared memory. */
export class CodeReader {
  readonly #memory: readonly SharedArrayBuffer[];
  readonly #blocks: Block[] = [];
  readonly #gathered = new Int8Array(BLOCK_ROWS * DIMENSIONS);

  /** @param memory the memory of each block, by block number */
  constructor(memory: readonly SharedArrayBuffer[]) {
    this.#memory = memory;
  }

  /** Returns the rows that can be found in the block at position `at` of a part. */
  run(part: ScanPart, at: number): Run {
    const block = this.#block(part.blocks[at] as number);
    const count = Math.min(BLOCK_ROWS, part.rows - at * BLOCK_ROWS);
    if (part.filter === null) return { part, block, count, some: null };
    const some = passing(block, count, part.filter);
    return { part, block, count: some.length, some };
  }

  /** Returns the rows of a run with the highest products. The run must have at least `wanted` rows. */
  nearest({ block, count, some }: Run, query: Int8Array, wanted: number): NearestOfRun {
    const codes = some === null ? block.codes : this.#gather(block, some);
    const own = codes.subarray(0, count * DIMENSIONS);
    const { keys, distances } = exactSearch(own, query, DIMENSIONS, wanted, MetricKind.IP, 1);
    const found = numbersOf(keys);
    const rows = new Uint32Array(wanted);
    const products = new Float32Array(wanted);
    for (let at = 0; at < wanted; at++) {
      const number = found[2 * at] as number;
      rows[at] = some === null ? number : (some[number] as number);
      products[at] = 1 - (distances[at] as number);
    }
    return { rows, products };
  }

  /** Returns the dot product of the codes of each given row with those of a query, in the order of `rows`. */
  products(rows: readonly { run: Run; row: number }[], query: Int8Array): Float32Array {
    const products = new Float32Array(rows.length);
    for (let start = 0; start < rows.length; start += BLOCK_ROWS) {
      const some = rows.slice(start, start + BLOCK_ROWS);
      for (const [at, { run, row }] of some.entries())
        this.#gathered.set(run.block.codesOf(row), at * DIMENSIONS);
      const codes = this.#gathered.subarray(0, some.length * DIMENSIONS);
      const { keys, distances } = exactSearch(codes, query, DIMENSIONS, some.length, MetricKind.IP, 1);
      const found = numbersOf(keys);
      for (let at = 0; at < some.length; at++)
        products[start + (found[2 * at] as number)] = 1 - (distances[at] as number);
    }
    return products;
  }

  #block(number: number): Block {
    this.#blocks[number] ??= new Block(this.#memory[number] as SharedArrayBuffer);
    return this.#blocks[number];
  }

  /** Copies the codes of some rows into contiguous memory, to be searched in one call; adjacent rows in one copy. */
  #gather({ codes }: Block, rows: Uint32Array): Int8Array {
    for (let at = 0; at < rows.length; ) {
      const first = rows[at] as number;
      let count = 1;
      while (rows[at + count] === first + count) count++;
      const piece = codes.subarray(first * DIMENSIONS, (first + count) * DIMENSIONS);
      this.#gathered.set(piece, at * DIMENSIONS);
      at += count;
    }
    return this.#gathered;
  }
}

/** Views the keys as pairs of 32-bit numbers. The first of each pair is the whole key, since none exceeds 32 bits. */
function numbersOf(keys: BigUint64Array): Uint32Array {
  return new Uint32Array(keys.buffer, keys.byteOffset, 2 * keys.length);
}

function passing({ assets }: Block, count: number, filter: Uint8Array): Uint32Array {
  const rows = new Uint32Array(count);
  let found = 0;
  for (let row = 0; row < count; row++) if (filter[assets[row] as number] === 1) rows[found++] = row;
  return rows.subarray(0, found);
}
