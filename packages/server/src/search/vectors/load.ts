import type { LocalFiles } from '../../revision/local-files.ts';
import { Block } from '../../revision/vectors/block.ts';
import { type CodesFile, readCodes } from '../../revision/vectors/codes-file.ts';
import type { SidecarFiles } from '../../revision/vectors/sidecar.ts';

export interface LoadJob {
  /** Null for joined vectors, of which there are only codes. */
  sidecar: SidecarFiles | null;
  /** The file descriptor of `vectors.f32`. */
  matrix: number;
  /** The codes that were made from the vectors, or null. */
  codes: CodesFile | null;
  /** The number of assets in the revision. */
  assetCount: number;
  /** The numbers of enough blocks for one row per asset of the revision. */
  blocks: Uint32Array;
}

export type LoadOutcome = Loaded | { ok: false; reason: string };

interface Loaded {
  ok: true;
  /** How many rows the blocks contain, in any order. */
  rows: number;
  /** Why the stored codes were not used; null if they were, or if there are none. */
  codesProblem: string | null;
}

/**
 * Loads the searched rows of a sidecar into blocks: from stored codes or, if none are usable, from the sidecar itself.
 * Blocks the calling thread.
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
  if (job.sidecar === null) return { ok: false, reason: codesProblem ?? 'There are no codes.' };
  // Few workers ever need the code that validates a sidecar, and loading it takes longer than reading codes.
  const { codeSidecar } = await import('../../revision/vectors/sidecar.ts');
  const coded = codeSidecar(files, job.sidecar, matrix, blockAt);
  return coded.ok ? { ...coded, codesProblem } : coded;
}
