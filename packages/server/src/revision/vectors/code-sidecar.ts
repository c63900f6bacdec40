import type { LocalFiles, OpenFile } from '../local-files.ts';
import { type Block, DIMENSIONS } from './block.ts';
import { codeBlocks } from './code-blocks.ts';
import { matrixProblem, openSidecar, type SidecarFiles } from './sidecar.ts';

export type CodedSidecar = { ok: true; rows: number } | { ok: false; reason: string };

/** Validates a sidecar as a register does, and codes its searched rows into blocks. Blocks the calling thread. */
export function codeSidecar(
  files: LocalFiles,
  stored: SidecarFiles,
  matrix: OpenFile,
  blockAt: (number: number) => Block,
): CodedSidecar {
  const sidecar = openSidecar(files, stored, matrix);
  if (!sidecar.ok) return sidecar;
  if (sidecar.dim !== DIMENSIONS) return { ok: false, reason: `it has ${sidecar.dim} dimensions` };
  const problem = matrixProblem(matrix, sidecar);
  if (problem !== null) return { ok: false, reason: problem };
  let rows = 0;
  for (const { count } of codeBlocks(matrix, sidecar.searched, blockAt)) rows += count;
  return { ok: true, rows };
}
