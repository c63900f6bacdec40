import { LIMITS } from '@bindery/contract';
import { readWhole } from '../../libraries/revision/matrix-rows.ts';
import { ASSETS_AT, BLOCK_ROWS, DIMENSIONS, ROWS_AT } from './block.ts';
import { cosine } from './cosine.ts';
import type { Kernel } from './kernel.ts';
import { type QuantisedQuery, quantiseQuery } from './quantise.ts';
import { Shortlist } from './shortlist.ts';

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
  /** The most that a row lost when it was quantised. */
  lost: number;
  /** 1 for assets that may be found; null for all. */
  filter: Uint8Array | null;
}

/** Column by column: which library, which asset, what cosine; the best first. */
export interface Found {
  targets: Uint32Array;
  assets: Uint32Array;
  cosines: Float64Array;
}

/** Memory of a scan: room for the bytes of a query and for the scores of a block, at a multiple of 16. */
export interface ScanMemory {
  memory: WebAssembly.Memory;
  kernel: Kernel;
  scratch: number;
}

export const SCRATCH_BYTES: number = DIMENSIONS + BLOCK_ROWS * 4;

/** How many standard deviations an estimate may be off; what was lost points anywhere. */
const DEVIATIONS = 4;

/** The 100 rows of the parts with the highest cosines, among equals the first. Holds its thread: runs on one of its own. */
export function scan(space: ScanMemory, query: Float32Array, parts: readonly ScanPart[]): Found {
  const quantised = quantiseQuery(query);
  const lost = Math.max(0, ...parts.map((part) => part.lost)) + quantised.lost;
  const margin = (DEVIATIONS * lost) / Math.sqrt(DIMENSIONS);
  const shortlist = new Shortlist(LIMITS.embedding.candidates, (2 * margin) / quantised.step);
  estimate(space, quantised, parts, shortlist);
  return best(exactly(space, query, parts, shortlist.rows()));
}

/** Rows are counted through all blocks of all parts, whole blocks each. */
function estimate(
  { memory, kernel, scratch }: ScanMemory,
  query: QuantisedQuery,
  parts: readonly ScanPart[],
  shortlist: Shortlist,
): void {
  new Int8Array(memory.buffer, scratch, DIMENSIONS).set(query.steps);
  const scores = new Float32Array(memory.buffer, scratch + DIMENSIONS, BLOCK_ROWS);
  let first = 0;
  for (const { blocks, rows, filter } of parts) {
    for (let at = 0; at < blocks.length; at++) {
      const block = blocks[at] as number;
      const count = Math.min(BLOCK_ROWS, rows - at * BLOCK_ROWS);
      kernel.scoreBlock(block, scratch, query.bias, scratch + DIMENSIONS);
      const assets = filter && new Uint32Array(memory.buffer, block + ASSETS_AT, BLOCK_ROWS);
      const { cutoff } = shortlist;
      for (let row = 0; row < count; row++) {
        const score = scores[row] as number;
        if (score <= cutoff) continue;
        if (assets && filter[assets[row] as number] === 0) continue;
        shortlist.add(score, first + row);
      }
      first += BLOCK_ROWS;
    }
  }
}

interface ExactRow {
  target: number;
  asset: number;
  cosine: number;
}

/** Reads the full rows from their files. */
function exactly(
  { memory }: ScanMemory,
  query: Float32Array,
  parts: readonly ScanPart[],
  rows: Uint32Array,
): ExactRow[] {
  const full = new Float32Array(DIMENSIONS);
  const found: ExactRow[] = [];
  let next = 0;
  let first = 0;
  for (const { target, blocks, file } of parts) {
    const end = first + blocks.length * BLOCK_ROWS;
    for (let row = rows[next]; row !== undefined && row < end; row = rows[++next]) {
      const block = blocks[Math.floor((row - first) / BLOCK_ROWS)] as number;
      const at = (row - first) % BLOCK_ROWS;
      const place = new Uint32Array(memory.buffer, block + ROWS_AT, BLOCK_ROWS)[at] as number;
      const asset = new Uint32Array(memory.buffer, block + ASSETS_AT, BLOCK_ROWS)[at] as number;
      readWhole(file, full, place * full.byteLength);
      found.push({ target, asset, cosine: cosine(query, full) });
    }
    first = end;
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
