import { exactSearch, MetricKind } from 'usearch';
import { BLOCK_ROWS, Block, DIMENSIONS } from '../../revision/vectors/block.ts';
import { type CodedQuery, closerError, closerEstimate, estimateError } from '../../revision/vectors/codes.ts';
import type { ScanPart, ScanProgress } from './scan-part.ts';

/** A row that might be among the nearest. */
export interface Candidate {
  run: Run;
  /** The row's position in its block. */
  row: number;
  /** An upper bound of its cosine. */
  most: number;
}

/**
 * How many rows to take at first: `FIRST_TAKEN` divided among all blocks, plus `FIRST_OF_RUN` per block. That is enough
 * that few runs have to be searched again if the nearest rows are spread among them.
 */
const FIRST_TAKEN = 500;
const FIRST_OF_RUN = 32;

/** The factor by which more rows are taken of a run that might have more relevant ones. */
const GROWTH = 4;

interface Estimated {
  run: Run;
  row: number;
  /** The dot product of its codes with those of the query. */
  product: number;
}

/** The rows of a run with the highest estimates; `others` is an upper bound of the cosines of its other rows. */
interface Taken extends NearestOfRun {
  run: Run;
  /** The factor from a product of codes to an estimated cosine. */
  unit: number;
  /** The maximum error of an estimate. */
  error: number;
  others: number;
}

/** The rows of the blocks that this worker took, ranked by the cosines that their codes estimate. */
export class Candidates {
  readonly #reader: CodeReader;
  readonly #query: CodedQuery;
  readonly #taken: readonly Taken[];

  constructor(reader: CodeReader, query: CodedQuery, parts: readonly ScanPart[], progress: ScanProgress) {
    this.#reader = reader;
    this.#query = query;
    const blocks = parts.flatMap((part) => Array.from(part.blocks, (_, at) => ({ part, at })));
    const wanted = FIRST_OF_RUN + Math.ceil(FIRST_TAKEN / blocks.length);
    const taken: Taken[] = [];
    for (let next = blocks[progress.takeBlock()]; next !== undefined; next = blocks[progress.takeBlock()]) {
      const run = reader.run(next.part, next.at);
      if (run.count > 0) taken.push(this.#take(run, wanted));
    }
    this.#taken = taken;
  }

  /** Returns the `count` rows with the highest estimates, or a few more on ties, best first. */
  mostPromising(count: number): Candidate[] {
    const least = this.#estimates().sort().at(-count) ?? Number.NEGATIVE_INFINITY;
    const promising: (Candidate & { estimate: number })[] = [];
    for (const { run, rows, products, unit, error } of this.#taken) {
      for (let at = 0; at < rows.length && unit * (products[at] as number) >= least; at++) {
        const estimate = unit * (products[at] as number);
        promising.push({ run, row: rows[at] as number, most: estimate + error, estimate });
      }
    }
    return promising.sort((a, b) => b.estimate - a.estimate);
  }

  /** Yields all rows whose cosine might reach `needed()`, which can rise after each row. Mostly best first. */
  *thatMayReach(needed: () => number): Generator<Candidate> {
    let estimated: Estimated[] = [];
    for (const first of this.#taken) {
      const cosine = needed();
      let taken = first;
      while (taken.rows.length < taken.run.count && taken.others >= cosine)
        taken = this.#take(taken.run, taken.rows.length * GROWTH);
      const { run, rows, products, unit, error } = taken;
      for (let at = 0; at < rows.length && unit * (products[at] as number) + error >= cosine; at++)
        estimated.push({ run, row: rows[at] as number, product: products[at] as number });
      // Batches the few rows of many runs into one call, of at most a few blocks' worth of rows.
      if (estimated.length < BLOCK_ROWS) continue;
      yield* this.#closer(estimated, needed);
      estimated = [];
    }
    yield* this.#closer(estimated, needed);
  }

  *#closer(estimated: readonly Estimated[], needed: () => number): Generator<Candidate> {
    const restProducts = this.#reader.products(estimated, this.#query.residual.codes);
    const candidates = estimated.map(({ run, row, product }, at): Candidate => {
      const { unit, error } = run.block;
      const closer = closerEstimate(this.#query, unit, product, restProducts[at] as number);
      return { run, row, most: closer + closerError(this.#query, error) };
    });
    for (const candidate of candidates.sort((a, b) => b.most - a.most)) {
      if (candidate.most < needed()) return;
      yield candidate;
    }
  }

  #take(run: Run, wanted: number): Taken {
    const count = Math.min(wanted, run.count);
    const nearest = this.#reader.nearest(run, this.#query.codes, count);
    const unit = run.block.unit * this.#query.unit;
    const error = estimateError(this.#query, run.block.error);
    const last = unit * (nearest.products[count - 1] as number);
    return {
      ...nearest,
      run,
      unit,
      error,
      others: last + error,
    };
  }

  #estimates(): Float64Array {
    const estimates = new Float64Array(this.#taken.reduce((sum, { rows }) => sum + rows.length, 0));
    let count = 0;
    for (const { products, unit } of this.#taken) {
      for (let at = 0; at < products.length; at++) estimates[count++] = unit * (products[at] as number);
    }
    return estimates;
  }
}

/** Rows of a block that are searched in one call. */
interface Run {
  part: ScanPart;
  block: Block;
  count: number;
  /** The rows of the block that pass the filter; null for its first `count` rows, if there is no filter. */
  some: Uint32Array | null;
}

/** Rows of a block with the dot products of their codes with those of a query, highest first. */
interface NearestOfRun {
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
