import { DIMENSIONS } from '../../revision/vectors/block.ts';

/**
 * Returns the cosine of a query of length 1 and a row, in 64-bit floats and always summed in the same order, so that
 * the result is identical to the last digit wherever it is computed.
 */
export function cosine(query: Float32Array, row: Float32Array): number {
  let dot0 = 0;
  let dot1 = 0;
  let square0 = 0;
  let square1 = 0;
  for (let at = 0; at < DIMENSIONS; at += 2) {
    const even = row[at] as number;
    const odd = row[at + 1] as number;
    dot0 += even * (query[at] as number);
    dot1 += odd * (query[at + 1] as number);
    square0 += even * even;
    square1 += odd * odd;
  }
  return (dot0 + dot1) / Math.sqrt(square0 + square1);
}
