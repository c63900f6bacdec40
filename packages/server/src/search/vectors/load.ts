import { fstatSync } from 'node:fs';
import type { SidecarFiles } from '../../libraries/revision/stored-sidecar.ts';
import { Block } from './block.ts';
import { type CodesFile, readCodes } from './codes-file.ts';
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
 * used, from the sidecar itself. Holds its thread: runs on one of its own.
 */
export async function loadVectors(memory: WebAssembly.Memory, job: LoadJob): Promise<LoadOutcome> {
  const blockAt = (number: number) => new Block(memory.buffer, job.blocks[number]);
  let codesProblem: string | null = null;
  if (job.codes !== null) {
    const owner = { matrixBytes: fstatSync(job.matrix).size, assetCount: job.assetCount };
    const read = readCodes(job.codes, owner, blockAt);
    if (read.ok) return { ...read, codesProblem };
    codesProblem = read.problem;
  }
  // Few threads ever need what checks a sidecar, and it takes them longer to load than to read codes.
  const { quantiseSidecar } = await import('./quantise-sidecar.ts');
  const quantised = quantiseSidecar(job, blockAt);
  return quantised.ok ? { ...quantised, codesProblem } : quantised;
}
