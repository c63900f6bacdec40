import { matrixProblem, openSidecar, type SidecarFiles } from '../../libraries/revision/stored-sidecar.ts';
import { BLOCK_ROWS, type Block, DIMENSIONS } from './block.ts';
import { BlockFiller } from './fill-block.ts';
import type { Lost } from './scan.ts';

export type QuantisedSidecar = { ok: true; rows: number; lost: Lost } | { ok: false; reason: string };

/** Checks a sidecar as a register does and quantises the rows that are searched into blocks. Holds its thread. */
export function quantiseSidecar(files: SidecarFiles, blockAt: (number: number) => Block): QuantisedSidecar {
  const sidecar = openSidecar(files);
  if (!sidecar.ok) return sidecar;
  if (sidecar.dim !== DIMENSIONS) return { ok: false, reason: `it has ${sidecar.dim} dimensions` };
  const problem = matrixProblem(files.matrix, sidecar);
  if (problem !== null) return { ok: false, reason: problem };
  const { searched } = sidecar;
  const filler = new BlockFiller(files.matrix);
  for (let first = 0; first < searched.length; first += BLOCK_ROWS) {
    filler.fill(blockAt(first / BLOCK_ROWS), searched.slice(first, first + BLOCK_ROWS));
  }
  return { ok: true, rows: searched.length, lost: filler.lost };
}
