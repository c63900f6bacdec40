import { LIMITS } from '@bindery/contract/limits';
import { Candidates } from './candidates.ts';
import { codeQuery } from './codes.ts';
import { ExactRows, UnreadableRow } from './exact-rows.ts';
import type { CodeReader } from './runs.ts';

/** A run of rows of one library that is searched. */
export interface ScanPart {
  /** Which library, by the caller's count. */
  target: number;
  /** The numbers of the blocks. */
  blocks: Uint32Array;
  /** Rows in these blocks; only the last one may have room left. */
  rows: number;
  /** The open file of the matrix. */
  file: number;
  /** 1 for assets that may be found; null for all. */
  filter: Uint8Array | null;
}

/** Column by column: which library, which asset, what cosine; the best first. */
export interface Found {
  targets: Uint32Array;
  assets: Uint32Array;
  cosines: Float64Array;
}

/** The full rows of a library cannot be read any more. Without it the search has another outcome. */
export interface Unreadable {
  target: number;
  problem: string;
}

export type ScanOutcome = { found: Found } | { unreadable: Unreadable };

const WANTED = LIMITS.embedding.candidates;

/**
 * The 100 rows of the parts with the highest cosines, among equals the first, of those that reach a floor. Holds its
 * thread: runs on one of its own.
 *
 * Codes estimate every cosine, with an error of at most `estimateError`. First the rows with the highest estimates are
 * compared in full; the hundredth best of their cosines is what any other row has to reach. Then all are compared that may
 * reach it, given the bound: the outcome is the same as if every row had been compared.
 */
export function scan(
  reader: CodeReader,
  query: Float32Array,
  parts: readonly ScanPart[],
  floor: number = Number.NEGATIVE_INFINITY,
): ScanOutcome {
  const candidates = new Candidates(reader, codeQuery(query), parts);
  const rows = new ExactRows(query);
  try {
    for (const candidate of candidates.mostPromising(2 * WANTED)) {
      if (rows.count === WANTED || candidate.most < floor) break;
      rows.compare(candidate);
    }
    const needed = Math.max(floor, rows.reachedBy(WANTED));
    for (const candidate of candidates.thatMayReach(needed)) rows.compare(candidate);
  } catch (error) {
    if (!(error instanceof UnreadableRow)) throw error;
    return { unreadable: { target: error.target, problem: error.message } };
  }
  return { found: rows.best(WANTED) };
}
