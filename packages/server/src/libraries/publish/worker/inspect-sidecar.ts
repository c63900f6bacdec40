import type { LocalFiles, OpenFile } from '../../../revision/local-files.ts';
import { BLOCK_BYTES, Block, DIMENSIONS } from '../../../revision/vectors/block.ts';
import { type CodesFile, readCodes, writeCodes } from '../../../revision/vectors/codes-file.ts';
import { matrixProblem, openSidecar, type StoredSidecar } from '../../../revision/vectors/sidecar.ts';
import type { SidecarFindings, SidecarJob } from '../revision-workers.ts';

/** Reads a sidecar, reports whether it can be used, and writes its codes unless they are known. */
export function inspectSidecar(files: LocalFiles, job: SidecarJob): SidecarFindings {
  using matrix = files.open(job.matrixFile);
  const sidecar = openSidecar(files, job, matrix);
  if (!sidecar.ok) return unusable(sidecar.reason);
  const problem = job.rowsChecked ? null : matrixProblem(matrix, sidecar);
  if (problem !== null) return unusable(problem);
  const { dim, model } = sidecar;
  return { dim, model, problem: null, codes: codesOf(files, sidecar, matrix, job) };
}

/** Returns null for vectors without a model, or with other dimensions than those that are searched. */
function codesOf(
  files: LocalFiles,
  sidecar: StoredSidecar,
  matrix: OpenFile,
  { knownCodes, codesFile }: SidecarJob,
): SidecarFindings['codes'] {
  if (sidecar.model === null || sidecar.dim !== DIMENSIONS) return null;
  if (knownCodes !== null && areIntact(files, knownCodes, sidecar)) {
    return { sha256: knownCodes.sha256, written: false };
  }
  return { sha256: writeCodes(files, codesFile, { ...sidecar, matrix }), written: true };
}

function areIntact(files: LocalFiles, codes: CodesFile, { rows, dim, assetCount }: StoredSidecar): boolean {
  const block = new Block(new ArrayBuffer(BLOCK_BYTES));
  const matrixBytes = rows * dim * Float32Array.BYTES_PER_ELEMENT;
  return readCodes(files, codes, { matrixBytes, assetCount }, () => block).ok;
}

function unusable(problem: string): SidecarFindings {
  return { dim: null, model: null, problem, codes: null };
}
