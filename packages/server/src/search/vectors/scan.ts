import { LIMITS } from '@bindery/contract/limits';
import { readWhole } from '../../libraries/revision/matrix-rows.ts';
import { BLOCK_ROWS, DIMENSIONS } from './block.ts';
import { cosine } from './cosine.ts';
import { Estimates, type ScanMemory } from './estimates.ts';
import { type QuantisedQuery, quantiseQuery } from './quantise.ts';
import { Shortlist } from './shortlist.ts';

/** What rows lost when they were quantised, in either precision: the root mean square of its length. */
export interface Lost {
  coarse: number;
  fine: number;
}

/** A run of rows of one library that is searched. */
export interface ScanPart {
  /** Which library, by the caller's count. */
  target: number;
  /** Where the blocks start in memory. */
  blocks: Uint32Array;
  /** Rows in these blocks; only the last one may have room left. */
  rows: number;
  /** The open file of the matrix. */
  file: number;
  lost: Lost;
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

/** How many standard deviations an estimate may be off. */
const DEVIATIONS = 4;

/** So many rows that look best are looked at first: they tell what the others have to reach. */
const PROBED = 2 * LIMITS.embedding.candidates;

/**
 * The 100 rows of the parts with the highest cosines, among equals the first, of those that reach a floor. Holds its
 * thread: runs on one of its own.
 */
export function scan(
  space: ScanMemory,
  query: Float32Array,
  parts: readonly ScanPart[],
  floor: number = Number.NEGATIVE_INFINITY,
): ScanOutcome {
  const quantised = quantiseQuery(query);
  const margins = marginsOf(parts, quantised);
  const estimates = new Estimates(space, quantised, parts);
  const reached = Math.max(floor / quantised.step, reachedByEnough(estimates));
  const rows = exactly(query, parts, estimates, likely(estimates, reached, margins));
  return Array.isArray(rows) ? { found: best(rows) } : { unreadable: rows };
}

/** Errors point anywhere among all dimensions, so that few of their length goes in the direction of the query. */
function marginsOf(parts: readonly ScanPart[], query: QuantisedQuery): Lost {
  const margin = (lost: number) =>
    (DEVIATIONS * Math.hypot(lost, query.lost)) / Math.sqrt(DIMENSIONS) / query.step;
  return {
    coarse: margin(Math.max(0, ...parts.map(({ lost }) => lost.coarse))),
    fine: margin(Math.max(0, ...parts.map(({ lost }) => lost.fine))),
  };
}

/** An estimate that at least 100 rows reach; minus infinity where there are fewer. */
function reachedByEnough(estimates: Estimates): number {
  const promising = new Shortlist(PROBED, { slack: 0, cutoff: Number.NEGATIVE_INFINITY });
  const { coarse } = estimates;
  for (let row = 0; row < coarse.length; row++) {
    const estimate = coarse[row] as number;
    if (estimate > promising.cutoff) promising.add(estimate, row);
  }
  const ascending = estimates.fine(promising.rows()).sort();
  return ascending.at(-LIMITS.embedding.candidates) ?? Number.NEGATIVE_INFINITY;
}

/** The rows that may be among the best, given what the best reach for sure. */
function likely(estimates: Estimates, reached: number, margins: Lost): Uint32Array {
  const slack = Math.SQRT2 * margins.fine;
  const shortlist = new Shortlist(LIMITS.embedding.candidates, { slack, cutoff: reached - slack });
  const doubtful = rowsFrom(estimates.coarse, reached - Math.hypot(margins.coarse, margins.fine));
  const fine = estimates.fine(doubtful);
  for (let at = 0; at < doubtful.length; at++) shortlist.add(fine[at] as number, doubtful[at] as number);
  return shortlist.rows();
}

/** The rows whose estimate is at least so much. */
function rowsFrom(estimates: Float32Array, least: number): Uint32Array {
  const rows = new Uint32Array(estimates.length);
  let count = 0;
  for (let row = 0; row < estimates.length; row++) {
    const estimate = estimates[row] as number;
    if (estimate >= least && estimate !== Number.NEGATIVE_INFINITY) rows[count++] = row;
  }
  return rows.slice(0, count);
}

interface ExactRow {
  target: number;
  asset: number;
  cosine: number;
}

/** Reads the full rows from their files; answers the first library of which one cannot be read. */
function exactly(
  query: Float32Array,
  parts: readonly ScanPart[],
  estimates: Estimates,
  rows: Uint32Array,
): ExactRow[] | Unreadable {
  const full = new Float32Array(DIMENSIONS);
  const found: ExactRow[] = [];
  let next = 0;
  let end = 0;
  for (const { target, blocks, file } of parts) {
    end += blocks.length * BLOCK_ROWS;
    for (let row = rows[next]; row !== undefined && row < end; row = rows[++next]) {
      const { place, asset } = estimates.origin(row);
      try {
        readWhole(file, full, place * full.byteLength);
      } catch (error) {
        return { target, problem: (error as Error).message };
      }
      const score = cosine(query, full);
      // A row that was damaged on the disk since its vectors were loaded is no candidate.
      if (Number.isFinite(score)) found.push({ target, asset, cosine: score });
    }
  }
  return found;
}

/** Array sorting is stable, so equals stay in their order. */
function best(rows: ExactRow[]): Found {
  const sorted = rows.sort((a, b) => b.cosine - a.cosine).slice(0, LIMITS.embedding.candidates);
  return {
    targets: Uint32Array.from(sorted, ({ target }) => target),
    assets: Uint32Array.from(sorted, ({ asset }) => asset),
    cosines: Float64Array.from(sorted, ({ cosine }) => cosine),
  };
}
