import { LIMITS } from '@bindery/contract/limits';
import type { LocalFiles } from '../../revision/local-files.ts';
import { codeQuery } from '../../revision/vectors/codes.ts';
import { Candidates, type CodeReader } from './candidates.ts';
import { ExactRows, UnreadableRow } from './exact-rows.ts';
import type { FoundRows, ScanPart, ScanProgress } from './scan-part.ts';

/** A part whose full rows can no longer be read. Without it the result differs, so the search must be repeated. */
export interface UnreadableVectors {
  part: number;
  problem: string;
}

export type ScanOutcome = { found: FoundRows } | { unreadable: UnreadableVectors };

const WANTED = LIMITS.embedding.candidates;

/**
 * Runs one worker's share of a scan. Together, the results of all workers contain the 100 rows of the parts with the
 * highest cosines that reach `floor`; ties go to the earlier target, then to the lower asset. Blocks the calling
 * thread.
 *
 * Codes estimate every cosine, with an error of at most `estimateError`. First, the rows with the highest estimates are
 * compared in full; the 100th best of their cosines, over all workers, is a bar that any other row has to reach. Then
 * every row that might reach the bar, given the error bound, is compared; rows with the highest upper bounds come
 * first, since they raise the bar. The result is the same as if every row had been compared.
 */
export function scan(
  files: Pick<LocalFiles, 'opened'>,
  reader: CodeReader,
  query: Float32Array,
  parts: readonly ScanPart[],
  progress: ScanProgress,
  floor: number = Number.NEGATIVE_INFINITY,
): ScanOutcome {
  const candidates = new Candidates(reader, codeQuery(query), parts, progress);
  const rows = new ExactRows(files, query, progress);
  const needed = () => Math.max(floor, progress.threshold);
  try {
    for (const candidate of candidates.mostPromising(2 * WANTED)) {
      if (progress.threshold !== Number.NEGATIVE_INFINITY || candidate.most < floor) break;
      rows.compare(candidate);
    }
    for (const candidate of candidates.thatMayReach(needed)) rows.compare(candidate);
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    return { unreadable: { part: error.part, problem: error.message } };
  }
  return { found: rows.best(WANTED) };
}
