import {
  ASSETS_AT,
  BLOCK_ROWS,
  COARSE_SCALES_AT,
  COARSE_ZERO,
  DIMENSIONS,
  FINE_AT,
  FINE_BYTES,
  FINE_SCALES_AT,
  ROWS_AT,
  ZERO,
} from './block.ts';
import { type Kernel, ROWS_FETCHED } from './kernel.ts';
import type { QuantisedQuery } from './quantise.ts';
import type { ScanPart } from './scan.ts';

/** Memory of a scan: room for the bytes of a query and for the sums of a block, at a multiple of 16. */
export interface ScanMemory {
  memory: WebAssembly.Memory;
  kernel: Kernel;
  scratch: number;
}

/** Room for the estimates of a block, or for a list of as many rows. */
const ESTIMATES_AT: number = DIMENSIONS;
export const SCRATCH_BYTES: number = ESTIMATES_AT + BLOCK_ROWS * 4;

/**
 * What the codes tell of the cosines of one query with the rows of parts, in steps of the query. Rows are counted through
 * the blocks of all parts, whole blocks each.
 */
export class Estimates {
  /** By row; minus infinity where there is no row, or its asset may not be found. */
  readonly coarse: Float32Array;
  readonly #space: ScanMemory;
  readonly #query: QuantisedQuery;
  readonly #blocks: Uint32Array;
  readonly #integers: Int32Array;
  readonly #floats: Float32Array;

  constructor(space: ScanMemory, query: QuantisedQuery, parts: readonly ScanPart[]) {
    this.#space = space;
    this.#query = query;
    this.#integers = new Int32Array(space.memory.buffer);
    this.#floats = new Float32Array(space.memory.buffer);
    this.#blocks = joined(parts.map(({ blocks }) => blocks));
    this.coarse = new Float32Array(this.#blocks.length * BLOCK_ROWS);
    this.#estimateAll();
    this.#leaveOut(parts);
  }

  /** Better estimates, from all bits of the codes, for rows in the order in which they are asked. */
  fine(rows: Uint32Array): Float32Array {
    const { memory, kernel, scratch } = this.#space;
    const estimates = new Float32Array(rows.length);
    const zero = (ZERO - COARSE_ZERO) * this.#query.sum;
    const list = new Int32Array(memory.buffer, scratch + ESTIMATES_AT, BLOCK_ROWS);
    for (let first = 0; first < rows.length; first += BLOCK_ROWS) {
      const count = Math.min(BLOCK_ROWS, rows.length - first);
      const listed = Math.ceil(count / ROWS_FETCHED) * ROWS_FETCHED;
      for (let at = 0; at < listed; at++) {
        const row = rows[first + Math.min(at, count - 1)] as number;
        list[at] = this.#blockOf(row) + FINE_AT + (row % BLOCK_ROWS) * FINE_BYTES;
      }
      kernel.fineSums(scratch + ESTIMATES_AT, listed, scratch);
      for (let at = 0; at < count; at++) {
        const row = rows[first + at] as number;
        const coarse = (this.coarse[row] as number) / this.#scale(row, COARSE_SCALES_AT);
        estimates[first + at] = (coarse + (list[at] as number) - zero) * this.#scale(row, FINE_SCALES_AT);
      }
    }
    return estimates;
  }

  /** Where the full row stands in the file of its part, and whose it is. */
  origin(row: number): { place: number; asset: number } {
    const at = row % BLOCK_ROWS;
    const numbers = (part: number) => this.#integers[(this.#blockOf(row) + part) / 4 + at] as number;
    return { place: numbers(ROWS_AT), asset: numbers(ASSETS_AT) };
  }

  #estimateAll(): void {
    const { memory, kernel, scratch } = this.#space;
    new Int8Array(memory.buffer, scratch, DIMENSIONS).set(this.#query.steps);
    const estimates = new Float32Array(memory.buffer, scratch + ESTIMATES_AT, BLOCK_ROWS);
    const zero = COARSE_ZERO * this.#query.sum;
    for (let at = 0; at < this.#blocks.length; at++) {
      kernel.estimateCoarsely(this.#blocks[at] as number, scratch, zero, scratch + ESTIMATES_AT);
      this.coarse.set(estimates, at * BLOCK_ROWS);
    }
  }

  #scale(row: number, part: number): number {
    return this.#floats[(this.#blockOf(row) + part) / 4 + (row % BLOCK_ROWS)] as number;
  }

  #leaveOut(parts: readonly ScanPart[]): void {
    let first = 0;
    for (const { blocks, rows, filter } of parts) {
      const end = first + blocks.length * BLOCK_ROWS;
      this.coarse.fill(Number.NEGATIVE_INFINITY, first + rows, end);
      for (let row = first; filter && row < first + rows; row++) {
        if (filter[this.origin(row).asset] === 0) this.coarse[row] = Number.NEGATIVE_INFINITY;
      }
      first = end;
    }
  }

  #blockOf(row: number): number {
    return this.#blocks[Math.floor(row / BLOCK_ROWS)] as number;
  }
}

function joined(lists: readonly Uint32Array[]): Uint32Array {
  const all = new Uint32Array(lists.reduce((sum, { length }) => sum + length, 0));
  let end = 0;
  for (const list of lists) {
    all.set(list, end);
    end += list.length;
  }
  return all;
}
