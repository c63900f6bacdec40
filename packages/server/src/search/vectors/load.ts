import { fstatSync } from 'node:fs';
import type { SidecarFiles } from '../../libraries/revision/stored-sidecar.ts';
import { Block } from './block.ts';
import { type CodesFile, readCodes } from './codes-file.ts';

export interface LoadJob extends SidecarFiles {
  /** What a register made of the sidecar, if it did. */
  codes: CodesFile | null;
  /** Assets of the revision. */
  assetCount: number;
  /** The numbers of blocks for every asset of the revision. */
  blocks: Uint32Array;
}

export type LoadOutcome = Loaded | { ok: false; reason: string };

interface Loaded {
  ok: true;
  /** So many rows stand in the blocks, in any order. */
  rows: number;
  /** Why stored codes were not used, where they were not. */
  codesProblem: string | null;
}

/**
 * Brings the rows of a sidecar that are searched into blocks: from stored codes, or where there are none that can be
 * used, from the sidecar itself. Holds its thread: runs on one of its own.
 */
export async function loadVectors(blocks: readonly SharedArrayBuffer[], job: LoadJob): Promise<LoadOutcome> {
  const blockAt = (number: number) => new Block(blocks[job.blocks[number] as number] as SharedArrayBuffer);
  let codesProblem: string | null = null;
  if (job.codes !== null) {
    const owner = { matrixBytes: fstatSync(job.matrix).size, assetCount: job.assetCount };
    const read = readCodes(job.codes, owner, blockAt);
    if (read.ok) return { ...read, codesProblem };
    codesProblem = read.problem;
  }
  // Few threads ever need what checks a sidecar, and it takes them longer to load than to read codes.
  const { codeSidecar } = await import('./code-sidecar.ts');
  const coded = codeSidecar(job, blockAt);
  return coded.ok ? { ...coded, codesProblem } : coded;
}
