import { DIMENSIONS } from './block.ts';
import { rotate, STRETCH } from './rotate.ts';

/** Codes are integers from minus to plus this. */
const LARGEST_CODE = 127;

/**
 * Room for what 64-bit floats round away: each of fewer than a hundred sums here has 768 products of numbers of vectors of
 * length about 1, whose errors are below 768 × 2⁻⁵² ≈ 2 × 10⁻¹³.
 */
const ROUNDING = 1e-10;

/** The least that a code may be worth, so that a row is never longer than its codes reach. */
export function unitFor(reach: number): number {
  return reach / LARGEST_CODE;
}

/** Codes rows one at a time, in memory of its own. */
export class RowCoder {
  readonly #turned = new Float64Array(DIMENSIONS);

  /** Turns a row that is not zero and brings it to length 1; returns the size of its largest number. */
  take(row: Float32Array): number {
    const turned = this.#turned;
    turned.set(row);
    rotate(turned);
    const length = lengthOf(turned);
    for (let at = 0; at < DIMENSIONS; at++) turned[at] = (turned[at] as number) / length;
    return largestOf(turned);
  }

  /** Writes the codes of the row that was taken; returns the length of what they lost. */
  encode(codes: Int8Array, unit: number): number {
    return encode(this.#turned, codes, unit);
  }
}

/** A query as it is compared with codes. */
export interface CodedQuery {
  length: number;
  /** The turned query is about `unit × codes`. */
  codes: Int8Array;
  unit: number;
  /** The length of what the codes lost. */
  error: number;
  /** What the codes lost, coded again: about `unit × codes`. */
  rest: { codes: Int8Array; unit: number; error: number };
}

/** Turns and codes a query that is not zero. */
export function codeQuery(query: Float32Array): CodedQuery {
  const turned = new Float64Array(query);
  rotate(turned);
  for (let at = 0; at < DIMENSIONS; at++) turned[at] = (turned[at] as number) / STRETCH;
  const unit = unitFor(largestOf(turned));
  const codes = new Int8Array(DIMENSIONS);
  const error = encode(turned, codes, unit);
  const length = lengthOf(turned);
  return { length, codes, unit, error, rest: codeRest(turned, codes, unit) };
}

function codeRest(turned: Float64Array, codes: Int8Array, unit: number): CodedQuery['rest'] {
  const lost = turned.map((value, at) => value - unit * (codes[at] as number));
  const rest = { codes: new Int8Array(DIMENSIONS), unit: unitFor(largestOf(lost)) };
  // A query may be its codes to the last digit.
  if (rest.unit === 0) return { ...rest, error: 0 };
  return { ...rest, error: encode(lost, rest.codes, rest.unit) };
}

/**
 * How far the estimate `unit of the row × unit of the query × product of their codes` is from the cosine at most.
 *
 * Turning keeps dot products, so let `a` be the turned row, brought to length 1, and `b` the turned query; `a = A + e` and
 * `b = B + f`, where `A` and `B` are what the codes stand for, and `e` and `f` what they lost. The cosine is
 * `a·b = A·B + e·b + A·f`, and `A·B` is the estimate: a sum of whole numbers below 2²⁴, which 32-bit floats hold exactly.
 * By Cauchy and Schwarz `|e·b| ≤ |e| |b|` and `|A·f| ≤ |A| |f| ≤ (1 + |e|) |f|`.
 *
 * @param rowError the greatest `|e|` of the rows
 */
export function estimateError({ length, error }: CodedQuery, rowError: number): number {
  return rowError * length + (1 + rowError) * error + ROUNDING;
}

/** `A·b`, the cosine as far as the codes of a row tell, of their products with the codes of a query and of its rest. */
export function closerEstimate(
  query: CodedQuery,
  unit: number,
  product: number,
  restProduct: number,
): number {
  return unit * (query.unit * product + query.rest.unit * restProduct);
}

/** The same bound for the closer estimate: `f` is now what the rest of the query lost. */
export function closerError({ length, rest }: CodedQuery, rowError: number): number {
  return rowError * length + (1 + rowError) * rest.error + ROUNDING;
}

function encode(turned: Float64Array, codes: Int8Array, unit: number): number {
  const perUnit = 1 / unit;
  let square = 0;
  for (let at = 0; at < DIMENSIONS; at++) {
    const value = turned[at] as number;
    // Rounds: the fraction of a positive number is cut off.
    const code = ((value * perUnit + LARGEST_CODE + 0.5) | 0) - LARGEST_CODE;
    codes[at] = code;
    const lost = value - unit * code;
    square += lost * lost;
  }
  return Math.sqrt(square);
}

function largestOf(vector: Float64Array): number {
  let largest = 0;
  for (let at = 0; at < DIMENSIONS; at++) largest = Math.max(largest, Math.abs(vector[at] as number));
  return largest;
}

function lengthOf(vector: Float64Array): number {
  let square = 0;
  for (let at = 0; at < DIMENSIONS; at++) square += (vector[at] as number) ** 2;
  return Math.sqrt(square);
}
