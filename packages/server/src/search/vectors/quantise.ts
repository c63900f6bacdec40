import { DIMENSIONS, LARGEST_STEP, ZERO_CODE } from './block.ts';

const LARGEST_QUERY_STEP = 127;

/** What is worth knowing of a row whose codes were written: `row ≈ step × (codes - 64)`. */
export interface QuantisedRow {
  /** The step, for the row brought to length 1. */
  step: number;
  /** The length of what was lost, for the row brought to length 1. */
  lost: number;
}

/** Writes the codes of a row that is not zero, in steps of a 63rd of its largest number. */
export function quantiseRow(row: Float32Array, codes: Uint8Array): QuantisedRow {
  let largest = 0;
  let square = 0;
  for (let at = 0; at < DIMENSIONS; at++) {
    const value = row[at] as number;
    const size = value < 0 ? -value : value;
    if (size > largest) largest = size;
    square += value * value;
  }
  const step = largest / LARGEST_STEP;
  // Adding half before the fraction is cut off rounds, since codes are positive.
  const zero = ZERO_CODE + 0.5;
  const inverse = 1 / step;
  let lost = 0;
  for (let at = 0; at < DIMENSIONS; at++) {
    const value = row[at] as number;
    const code = (value * inverse + zero) | 0;
    codes[at] = code;
    const difference = value - (code - ZERO_CODE) * step;
    lost += difference * difference;
  }
  const length = Math.sqrt(square);
  return { step: step / length, lost: Math.sqrt(lost) / length };
}

export interface QuantisedQuery {
  /** One signed byte per dimension: `query ≈ step × steps`. */
  steps: Int8Array;
  step: number;
  /** The length of what was lost. */
  lost: number;
  /** What the zero code of every dimension adds to a product. */
  bias: number;
}

/** In steps of a 127th of the largest number of a query of length 1. */
export function quantiseQuery(query: Float32Array): QuantisedQuery {
  let largest = 0;
  for (const value of query) largest = Math.max(largest, Math.abs(value));
  const step = largest / LARGEST_QUERY_STEP;
  const steps = new Int8Array(DIMENSIONS);
  let square = 0;
  let sum = 0;
  for (let at = 0; at < DIMENSIONS; at++) {
    const value = query[at] as number;
    const rounded = Math.round(value / step);
    steps[at] = rounded;
    square += (value - rounded * step) ** 2;
    sum += rounded;
  }
  return { steps, step, lost: Math.sqrt(square), bias: ZERO_CODE * sum };
}
