import type { OpenFile } from '../local-files.ts';

const ROWS_AT_ONCE = 1_024;

/**
 * Reads a matrix of 32-bit floats in batches of whole rows, into one buffer: each batch is valid only until the next.
 */
export function* matrixRows(
  file: OpenFile,
  { rows, dim }: { rows: number; dim: number },
): Generator<{ first: number; count: number; numbers: Float32Array }> {
  const memory = new Float32Array(Math.min(ROWS_AT_ONCE, rows) * dim);
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - first);
    const numbers = memory.subarray(0, count * dim);
    file.fill(numbers, first * dim * memory.BYTES_PER_ELEMENT);
    yield { first, count, numbers };
  }
}
