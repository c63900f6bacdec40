import { matrixProblem, openSidecar, type SidecarFiles } from '../../libraries/revision/stored-sidecar.ts';
import { type Block, DIMENSIONS } from './block.ts';
import { codeBlocks } from './code-blocks.ts';

export type CodedSidecar = { ok: true; rows: number } | { ok: false; reason: string };

/** Checks a sidecar as a register does and codes the rows that are searched into blocks. Holds its thread. */
export function codeSidecar(files: SidecarFiles, blockAt: (number: number) => Block): CodedSidecar {
  const sidecar = openSidecar(files);
  if (!sidecar.ok) return sidecar;
  if (sidecar.dim !== DIMENSIONS) return { ok: false, reason: `it has ${sidecar.dim} dimensions` };
  const problem = matrixProblem(files.matrix, sidecar);
  if (problem !== null) return { ok: false, reason: problem };
  let rows = 0;
  for (const { count } of codeBlocks(files.matrix, sidecar.searched, blockAt)) rows += count;
  return { ok: true, rows };
}
