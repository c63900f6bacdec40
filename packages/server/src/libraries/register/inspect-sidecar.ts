import { closeSync, openSync, statSync } from 'node:fs';
import { BLOCK_BYTES, Block, DIMENSIONS } from '../../search/vectors/block.ts';
import { type CodesFile, readCodes, writeCodes } from '../../search/vectors/codes-file.ts';
import { matrixProblem, openSidecar, type StoredSidecar } from '../revision/stored-sidecar.ts';
import type { SidecarFindings, SidecarJob } from './revision-builder.ts';

/** `vectors.json` of the largest library has far less. */
const MAX_DOCUMENT_BYTES = 64 * 1024 * 1024;

/** Reads a sidecar, says whether it can be used, and sees to its codes. Runs on a thread. */
export function inspectSidecar(job: SidecarJob): SidecarFindings {
  if (statSync(job.documentFile).size > MAX_DOCUMENT_BYTES) {
    return unusable(`vectors.json is larger than ${MAX_DOCUMENT_BYTES} bytes`);
  }
  const matrix = openSync(job.matrixFile, 'r');
  try {
    const sidecar = openSidecar({ ...job, matrix });
    if (!sidecar.ok) return unusable(sidecar.reason);
    const problem = job.rowsChecked ? null : matrixProblem(matrix, sidecar);
    if (problem !== null) return unusable(problem);
    const { dim, model } = sidecar;
    return { dim, model, problem: null, codes: codesOf(sidecar, matrix, job) };
  } finally {
    closeSync(matrix);
  }
}

/** Vectors without a model, or of other dimensions than are searched, have none. */
function codesOf(
  sidecar: StoredSidecar,
  matrix: number,
  { knownCodes, codesFile }: SidecarJob,
): SidecarFindings['codes'] {
  if (sidecar.model === null || sidecar.dim !== DIMENSIONS) return null;
  if (knownCodes !== null && areIntact(knownCodes, sidecar)) {
    return { sha256: knownCodes.sha256, written: false };
  }
  return { sha256: writeCodes(codesFile, { ...sidecar, matrix }), written: true };
}

function areIntact(codes: CodesFile, { rows, dim, assetCount }: StoredSidecar): boolean {
  const block = new Block(new ArrayBuffer(BLOCK_BYTES));
  const matrixBytes = rows * dim * Float32Array.BYTES_PER_ELEMENT;
  return readCodes(codes, { matrixBytes, assetCount }, () => block).ok;
}

function unusable(problem: string): SidecarFindings {
  return { dim: null, model: null, problem, codes: null };
}
