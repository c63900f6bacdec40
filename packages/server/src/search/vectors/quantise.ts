import { COARSE_BITS, COARSE_ZERO, CODES, DIMENSIONS, FINE_BITS, LANES, ZERO } from './block.ts';
import { rotate } from './rotate.ts';

/**
 * How far from zero codes reach, in root mean squares of a row. Farther makes them coarser, nearer cuts off more of the
 * largest numbers.
 */
const REACH = 2.8;

/** The most that the kernel's sums leave room for. */
const LARGEST_QUERY_STEP = 113;

/** The bits of a code that the coarse ones are. */
const UPPER: number = CODES - 2 ** FINE_BITS;

/** What is worth knowing of a row whose codes were written, for either precision. */
export interface QuantisedRow {
  coarse: Precision;
  fine: Precision;
}

export interface Precision {
  /** `dot(row, query) ≈ scale × dot(codes - zero, query)` for the row brought to length 1. */
  scale: number;
  /** The length of the error, which stands across the row, for the row brought to length 1. */
  lost: number;
}

/** Quantises rows in memory of its own, one at a time. */
export class RowQuantiser {
  readonly #turned = new Float64Array(DIMENSIONS);
  readonly #codes = new Uint8Array(DIMENSIONS);

  /** Writes the codes of a row that is not zero. */
  quantise(row: Float32Array, coarse: Uint8Array, fine: Uint8Array): QuantisedRow {
    const turned = this.#turned;
    turned.set(row);
    rotate(turned);
    const length = lengthOf(turned);
    const perUnit = ((CODES / 2 / REACH) * Math.sqrt(DIMENSIONS)) / length;
    const codes = this.#codes;
    let coarseProduct = 0;
    let coarseSquare = 0;
    let fineProduct = 0;
    let fineSquare = 0;
    for (let at = 0; at < DIMENSIONS; at++) {
      const value = turned[at] as number;
      const place = value * perUnit + CODES / 2;
      // The fraction is cut off, since codes are positive.
      const code = place <= 0 ? 0 : place >= CODES ? CODES - 1 : place | 0;
      codes[at] = code;
      const rough = (code & UPPER) - COARSE_ZERO;
      const exact = code - ZERO;
      coarseProduct += rough * value;
      coarseSquare += rough * rough;
      fineProduct += exact * value;
      fineSquare += exact * exact;
    }
    pack(codes, coarse, { bits: COARSE_BITS, from: FINE_BITS });
    pack(codes, fine, { bits: FINE_BITS, from: 0 });
    return {
      coarse: precision(coarseProduct / length, coarseSquare),
      fine: precision(fineProduct / length, fineSquare),
    };
  }
}

/**
 * Divided by its dot product with the row, the vector of codes estimates without bias (Gao and Long, "RaBitQ", SIGMOD
 * 2024, section 3.2).
 */
function precision(product: number, square: number): Precision {
  return { scale: 1 / product, lost: Math.sqrt(Math.max(0, square / product ** 2 - 1)) };
}

/** Packs some bits of every code: each register of bytes holds those of as many registers of codes as fit. */
function pack(codes: Uint8Array, packed: Uint8Array, { bits, from }: { bits: number; from: number }): void {
  const mask = 2 ** bits - 1;
  for (let register = 0, at = 0; register < packed.length; register += LANES) {
    packed.fill(0, register, register + LANES);
    for (let shift = 0; shift < 8; shift += bits) {
      for (let lane = register; lane < register + LANES; lane++, at++) {
        packed[lane] = (packed[lane] as number) | ((((codes[at] as number) >> from) & mask) << shift);
      }
    }
  }
}

export interface QuantisedQuery {
  /** One signed byte per dimension: the turned query is about `step × steps`. */
  steps: Int8Array;
  /** What a step is worth, for the query brought to length 1. */
  step: number;
  /** The length of what was lost. */
  lost: number;
  /** The sum of the steps. */
  sum: number;
}

/** In steps of a 113th of the largest number of the turned query, which is of length 1. */
export function quantiseQuery(query: Float32Array): QuantisedQuery {
  const turned = Float64Array.from(query);
  rotate(turned);
  const length = lengthOf(turned);
  let largest = 0;
  for (const value of turned) largest = Math.max(largest, Math.abs(value));
  const unit = largest / LARGEST_QUERY_STEP;
  const steps = Int8Array.from(turned, (value) => Math.round(value / unit));
  let square = 0;
  let sum = 0;
  for (let at = 0; at < DIMENSIONS; at++) {
    square += ((turned[at] as number) - unit * (steps[at] as number)) ** 2;
    sum += steps[at] as number;
  }
  return { steps, step: unit / length, lost: Math.sqrt(square) / length, sum };
}

function lengthOf(vector: Float64Array): number {
  let square = 0;
  for (let at = 0; at < DIMENSIONS; at++) square += (vector[at] as number) ** 2;
  return Math.sqrt(square);
}
