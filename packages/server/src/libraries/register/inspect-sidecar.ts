import { closeSync, fstatSync, openSync, readFileSync, readSync, statSync } from 'node:fs';
import { judgeSidecar, rowProblem } from '@bindery/contract';
import type { SidecarFindings, SidecarJob } from './revision-builder.ts';

/** `vectors.json` of the largest library has far less. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** How much of the matrix is in memory at a time. */
const ROWS_AT_ONCE = 1_024;

const BYTES_PER_NUMBER = 4;

/** Reads a sidecar whole and says whether it can be used. Runs on a thread. */
export function inspectSidecar({ documentFile, matrixFile }: SidecarJob): SidecarFindings {
  if (statSync(documentFile).size > MAX_DOCUMENT_BYTES) {
    return { dim: null, model: null, problem: `vectors.json is larger than ${MAX_DOCUMENT_BYTES} bytes` };
  }
  const matrix = openSync(matrixFile, 'r');
  try {
    const verdict = judgeSidecar(readFileSync(documentFile), fstatSync(matrix).size);
    if (!verdict.ok) return { dim: null, model: null, problem: verdict.reason };
    const { dim, model, rows } = verdict;
    return { dim, model, problem: firstRowProblem(matrix, dim, rows) };
  } finally {
    closeSync(matrix);
  }
}

function firstRowProblem(matrix: number, dim: number, rows: number): string | null {
  const chunk = new Float32Array(Math.min(ROWS_AT_ONCE, rows) * dim);
  for (let first = 0; first < rows; first += ROWS_AT_ONCE) {
    const numbers = Math.min(ROWS_AT_ONCE, rows - first) * dim;
    const bytes = new Uint8Array(chunk.buffer, 0, numbers * BYTES_PER_NUMBER);
    readWhole(matrix, bytes, first * dim * BYTES_PER_NUMBER);
    const problem = rowProblem(chunk.subarray(0, numbers), dim, first);
    if (problem !== null) return problem;
  }
  return null;
}

function readWhole(file: number, bytes: Uint8Array, position: number): void {
  let filled = 0;
  while (filled < bytes.length) {
    const count = readSync(file, bytes, filled, bytes.length - filled, position + filled);
    if (count === 0) throw new Error('a file became shorter while it was read');
    filled += count;
  }
}
