import { DIMENSIONS } from './block.ts';

/** Codes are integers from `-MAX_CODE` to `MAX_CODE`. */
const MAX_CODE = 127;

/**
 * Allowance for the rounding of 64-bit floats: each of fewer than a hundred sums here has 768 products of components of
 * vectors of length about 1, whose errors are below 768 × 2⁻⁵² ≈ 2 × 10⁻¹³.
 */
const ROUNDING = 1e-10;

/** Returns the smallest unit whose codes can represent components of magnitude up to `reach`. */
export function unitFor(reach: number): number {
  return reach / MAX_CODE;
}

/** Codes rows one at a time, in a buffer that it reuses. */
export class RowCoder {
  readonly #turned = new Float64Array(DIMENSIONS);

  /** Rotates a nonzero row and scales it to length 1; returns the magnitude of its largest component. */
  take(row: Float32Array): number {
    const turned = this.#turned;
    turned.set(row);
    rotate(turned);
    const length = lengthOf(turned);
    for (let at = 0; at < DIMENSIONS; at++) turned[at] = (turned[at] as number) / length;
    return largestOf(turned);
  }

  /** Writes the codes of the row last passed to `take`; returns the length of their error. */
  encode(codes: Int8Array, unit: number): number {
    return encode(this.#turned, codes, unit);
  }
}

/** A query in the form in which it is compared with codes. */
export interface CodedQuery {
  length: number;
  /** The rotated query is about `unit × codes`. */
  codes: Int8Array;
  unit: number;
  /** The length of the error of the codes. */
  error: number;
  /** The error of the codes, coded in turn: about `unit × codes`. */
  residual: { codes: Int8Array; unit: number; error: number };
}

/** Rotates and codes a nonzero query. */
export function codeQuery(query: Float32Array): CodedQuery {
  const turned = new Float64Array(query);
  rotate(turned);
  for (let at = 0; at < DIMENSIONS; at++) turned[at] = (turned[at] as number) / STRETCH;
  const unit = unitFor(largestOf(turned));
  const codes = new Int8Array(DIMENSIONS);
  const error = encode(turned, codes, unit);
  const length = lengthOf(turned);
  return { length, codes, unit, error, residual: codeResidual(turned, codes, unit) };
}

function codeResidual(turned: Float64Array, codes: Int8Array, unit: number): CodedQuery['residual'] {
  const lost = turned.map((value, at) => value - unit * (codes[at] as number));
  const rest = { codes: new Int8Array(DIMENSIONS), unit: unitFor(largestOf(lost)) };
  // The codes can be exact.
  if (rest.unit === 0) return { ...rest, error: 0 };
  return { ...rest, error: encode(lost, rest.codes, rest.unit) };
}

/**
 * Returns an upper bound of the difference between the cosine and the estimate
 * `unit of the row × unit of the query × product of their codes`.
 *
 * Rotation preserves dot products, so let `a` be the rotated row, scaled to length 1, and `b` the rotated query;
 * `a = A + e` and `b = B + f`, where `A` and `B` are what the codes represent, and `e` and `f` their errors. The cosine
 * is `a·b = A·B + e·b + A·f`, and `A·B` is the estimate: a sum of integers below 2²⁴, which 32-bit floats represent
 * exactly. By the Cauchy-Schwarz inequality, `|e·b| ≤ |e| |b|` and `|A·f| ≤ |A| |f| ≤ (1 + |e|) |f|`.
 *
 * @param rowError the greatest `|e|` of the rows
 */
export function estimateError({ length, error }: CodedQuery, rowError: number): number {
  return rowError * length + (1 + rowError) * error + ROUNDING;
}

/** Estimates the cosine by `A·b`, from the products of a row's codes with those of the query and of its rest. */
export function closerEstimate(
  query: CodedQuery,
  unit: number,
  product: number,
  restProduct: number,
): number {
  return unit * (query.unit * product + query.residual.unit * restProduct);
}

/** The same bound for the closer estimate, where `f` is the error of the codes of the rest. */
export function closerError({ length, residual }: CodedQuery, rowError: number): number {
  return rowError * length + (1 + rowError) * residual.error + ROUNDING;
}

function encode(turned: Float64Array, codes: Int8Array, unit: number): number {
  const perUnit = 1 / unit;
  let square = 0;
  for (let at = 0; at < DIMENSIONS; at++) {
    const value = turned[at] as number;
    // Rounds: `| 0` cuts off the fraction, and the number is positive.
    const code = ((value * perUnit + MAX_CODE + 0.5) | 0) - MAX_CODE;
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

/** Dimensions that the Hadamard transform mixes; three such parts make a vector. */
const PART = 256;
const PARTS: number = DIMENSIONS / PART;

/** The factor by which `rotate` lengthens a vector. */
export const STRETCH: number = Math.sqrt(PART);

/** Signs from a fixed linear congruential sequence, the same on every machine. */
const SIGNS: Float64Array = signs();

/**
 * Rotates a vector in place by a fixed rotation that spreads each of its components over all dimensions: pseudorandom
 * signs, a Hadamard transform of each third, and a reflection across the thirds. Cosines are preserved, and the error
 * of later rounding has no preferred direction, whatever the vectors are like (Ailon and Chazelle, "The fast
 * Johnson-Lindenstrauss transform", SIAM J. Comput. 39, 2009). The length grows by the factor `STRETCH`.
 */
export function rotate(vector: Float64Array): void {
  for (let at = 0; at < DIMENSIONS; at++) vector[at] = (vector[at] as number) * (SIGNS[at] as number);
  for (let part = 0; part < DIMENSIONS; part += PART) hadamard(vector, part);
  for (let at = 0; at < PART; at++) {
    let sum = 0;
    for (let part = at; part < DIMENSIONS; part += PART) sum += vector[part] as number;
    const reflected = (2 / PARTS) * sum;
    for (let part = at; part < DIMENSIONS; part += PART) vector[part] = (vector[part] as number) - reflected;
  }
}

/** Performs two butterfly stages at a time: 256 is a power of four. */
function hadamard(vector: Float64Array, first: number): void {
  const end = first + PART;
  for (let quarter = 1; quarter < PART; quarter *= 4) {
    for (let group = first; group < end; group += 4 * quarter) {
      for (let at = group; at < group + quarter; at++) {
        const a = vector[at] as number;
        const b = vector[at + quarter] as number;
        const c = vector[at + 2 * quarter] as number;
        const d = vector[at + 3 * quarter] as number;
        vector[at] = a + b + (c + d);
        vector[at + quarter] = a - b + (c - d);
        vector[at + 2 * quarter] = a + b - (c + d);
        vector[at + 3 * quarter] = a - b - (c - d);
      }
    }
  }
}

function signs(): Float64Array {
  let state = 1;
  return Float64Array.from({ length: DIMENSIONS }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return state < 0 ? -1 : 1;
  });
}
