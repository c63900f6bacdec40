import type { LocalFiles } from '../../objects/local-files.ts';
import { Block } from '../../revision/vectors/block.ts';
import { type CodesFile, readCodes } from '../../revision/vectors/codes-file.ts';
import type { SidecarFiles } from '../../revision/vectors/sidecar.ts';

export interface LoadJob extends SidecarFiles {
  /** The open file of `vectors.f32`. */
  matrix: number;
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
  /** How many rows are in the blocks, in any order. */
  rows: number;
  /** Why stored codes were not used, where they were not. */
  codesProblem: string | null;
}

/**
 * Loads the searched rows of a sidecar into blocks: from stored codes or, without usable ones, from the sidecar
 * itself. Blocks its thread.
 */
export async function loadVectors(
  files: LocalFiles,
  blocks: readonly SharedArrayBuffer[],
  job: LoadJob,
): Promise<LoadOutcome> {
  const matrix = files.opened(job.matrix);
  const blockAt = (number: number) => new Block(blocks[job.blocks[number] as number] as SharedArrayBuffer);
  let codesProblem: string | null = null;
  if (job.codes !== null) {
    const owner = { matrixBytes: matrix.size, assetCount: job.assetCount };
    const read = readCodes(files, job.codes, owner, blockAt);
    if (read.ok) return { ...read, codesProblem };
    codesProblem = read.problem;
  }
  // Few workers ever need the code that validates a sidecar, and loading it takes longer than reading codes.
  const { codeSidecar } = await import('../../revision/vectors/code-sidecar.ts');
  const coded = codeSidecar(files, job, matrix, blockAt);
  return coded.ok ? { ...coded, codesProblem } : coded;
}
