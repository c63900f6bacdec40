import { DIMENSIONS } from './block.ts';

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
