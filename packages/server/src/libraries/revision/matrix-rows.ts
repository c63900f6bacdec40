import { readSync } from 'node:fs';

const ROWS_AT_ONCE = 1_024;

/**
 * Reads a matrix of 32-bit floats from an open file, whole rows at a time, in one piece of memory: each part holds only
 * until the next. Holds its thread.
 */
export function* matrixRows(
  file: number,
  { rows, dim }: { rows: number; dim: number },
): Generator<{ first: number; count: number; numbers: Float32Array }> {
  const memory = new Float32Array(Math.min(ROWS_AT_ONCE, rows) * dim);
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const count = Math.min(ROWS_AT_ONCE, rows - first);
    const numbers = memory.subarray(0, count * dim);
    readWhole(file, numbers, first * dim * memory.BYTES_PER_ELEMENT);
    yield { first, count, numbers };
  }
}

/** Fills `target` from a place in the file, in bytes. Throws where the file is too short. */
export function readWhole(file: number, target: Float32Array | Uint8Array, position: number): void {
  const bytes = new Uint8Array(target.buffer, target.byteOffset, target.byteLength);
  for (let filled = 0; filled < bytes.length; ) {
    const count = readSync(file, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) throw new Error('A file became shorter while it was read.');
    filled += count;
  }
}
