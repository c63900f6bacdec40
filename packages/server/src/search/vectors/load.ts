import { fstatSync } from 'node:fs';
import { matrixProblem, openSidecar, type SidecarFiles } from '../../libraries/revision/stored-sidecar.ts';
import { BLOCK_ROWS, Block, DIMENSIONS } from './block.ts';
import { type CodesFile, readCodes } from './codes-file.ts';
import { BlockFiller } from './fill-block.ts';
import type { Lost } from './scan.ts';

export interface LoadJob extends SidecarFiles {
  /** What a register made of the sidecar, if it did. */
  codes: CodesFile | null;
  /** Assets of the revision. */
  assetCount: number;
  /** Where blocks for every asset of the revision start in memory. */
  blocks: Uint32Array;
}

export type LoadOutcome = Loaded | { ok: false; reason: string };

interface Loaded {
  ok: true;
  /** So many rows stand in the blocks, in the order of their assets. */
  rows: number;
  lost: Lost;
  /** Why stored codes were not used, where they were not. */
  codesProblem: string | null;
}

/**
 * Brings the rows of a sidecar that are searched into blocks: from stored codes, or where there are none that can be
 * used, from the sidecar itself, checked as a register does. Holds its thread: runs on one of its own.
 */
export function loadVectors(memory: WebAssembly.Memory, job: LoadJob): LoadOutcome {
  const blockAt = (number: number) => new Block(memory.buffer, job.blocks[number]);
  if (job.codes === null) return quantiseSidecar(job, blockAt, null);
  const owner = { matrixBytes: fstatSync(job.matrix).size, assetCount: job.assetCount };
  const read = readCodes(job.codes, owner, blockAt);
  return read.ok ? { ...read, codesProblem: null } : quantiseSidecar(job, blockAt, read.problem);
}

function quantiseSidecar(
  files: SidecarFiles,
  blockAt: (number: number) => Block,
  codesProblem: string | null,
): LoadOutcome {
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
  return { ok: true, rows: searched.length, lost: filler.lost, codesProblem };
}
