import { fstatSync, readFileSync } from 'node:fs';
import { judgeSidecar, rowProblem, type UsableSidecar } from '@bindery/contract';
import { matrixRows } from '../../libraries/revision/matrix-rows.ts';
import { RevisionIndex } from '../../libraries/revision/revision-index.ts';
import { type OwnedRow, searchedRows } from '../../libraries/revision/sidecar-rows.ts';
import {
  ASSETS_AT,
  BLOCK_ROWS,
  COARSE_AT,
  COARSE_BYTES,
  COARSE_SCALES_AT,
  DIMENSIONS,
  FINE_AT,
  FINE_BYTES,
  FINE_SCALES_AT,
  ROWS_AT,
} from './block.ts';
import { RowQuantiser } from './quantise.ts';
import type { Lost } from './scan.ts';

export interface LoadJob {
  /** Files on this machine: the revision's index, and `vectors.json`. */
  indexFile: string;
  documentFile: string;
  /** The open file of `vectors.f32`. */
  matrix: number;
  /** Where blocks for every asset of the revision start in memory. */
  blocks: Uint32Array;
}

export type LoadOutcome =
  /** So many rows stand in the blocks, in the order of their assets; `lost` is the most that one of them lost. */
  { ok: true; rows: number; lost: Lost } | { ok: false; reason: string };

/**
 * Checks a sidecar as a register does and writes its rows to blocks: those of the images, or of the texts where no asset
 * has an image. Holds its thread: runs on one of its own.
 */
export function loadVectors(memory: WebAssembly.Memory, job: LoadJob): LoadOutcome {
  const verdict = judgeSidecar(readFileSync(job.documentFile), fstatSync(job.matrix).size);
  if (!verdict.ok) return verdict;
  if (verdict.dim !== DIMENSIONS) return { ok: false, reason: `it has ${verdict.dim} dimensions` };
  const owned = searchedRows(verdict.items, RevisionIndex.open(readFileSync(job.indexFile)));
  if (!owned.ok) return { ok: false, reason: owned.problem };
  const { rows } = owned;
  const blocks = new BlockWriter(memory, job.blocks);
  rows.forEach(({ asset, row }, place) => {
    blocks.setOwner(place, asset, row);
  });
  const problem = writeRows(job.matrix, verdict, rows, blocks);
  return problem === null
    ? { ok: true, rows: rows.length, lost: blocks.lost }
    : { ok: false, reason: problem };
}

/** Reads the matrix once from its start, checks every row, and writes those that are searched. */
function writeRows(
  matrix: number,
  { rows, dim }: UsableSidecar,
  owned: readonly OwnedRow[],
  blocks: BlockWriter,
): string | null {
  const inOrder = owned.map(({ row }, place) => ({ row, place })).sort((a, b) => a.row - b.row);
  let next = 0;
  for (const { first, count, numbers } of matrixRows(matrix, { rows, dim })) {
    const problem = rowProblem(numbers, dim, first);
    if (problem !== null) return problem;
    for (let entry = inOrder[next]; entry && entry.row < first + count; entry = inOrder[++next]) {
      const start = (entry.row - first) * dim;
      blocks.setRow(entry.place, numbers.subarray(start, start + dim));
    }
  }
  return null;
}

class BlockWriter {
  readonly #buffer: ArrayBufferLike;
  readonly #blocks: Uint32Array;
  readonly #quantiser = new RowQuantiser();
  readonly #squares: Lost = { coarse: 0, fine: 0 };
  #count = 0;

  constructor(memory: WebAssembly.Memory, blocks: Uint32Array) {
    this.#buffer = memory.buffer;
    this.#blocks = blocks;
  }

  /** What rows lost, in root mean squares. */
  get lost(): Lost {
    const mean = (square: number) => Math.sqrt(square / Math.max(1, this.#count));
    return { coarse: mean(this.#squares.coarse), fine: mean(this.#squares.fine) };
  }

  setOwner(place: number, asset: number, row: number): void {
    this.#numbers(place, ROWS_AT)[place % BLOCK_ROWS] = row;
    this.#numbers(place, ASSETS_AT)[place % BLOCK_ROWS] = asset;
  }

  setRow(place: number, row: Float32Array): void {
    const block = this.#block(place);
    const at = place % BLOCK_ROWS;
    const part = (start: number, bytes: number) =>
      new Uint8Array(this.#buffer, block + start + at * bytes, bytes);
    const { coarse, fine } = this.#quantiser.quantise(
      row,
      part(COARSE_AT, COARSE_BYTES),
      part(FINE_AT, FINE_BYTES),
    );
    new Float32Array(this.#buffer, block + COARSE_SCALES_AT, BLOCK_ROWS)[at] = coarse.scale;
    new Float32Array(this.#buffer, block + FINE_SCALES_AT, BLOCK_ROWS)[at] = fine.scale;
    this.#squares.coarse += coarse.lost ** 2;
    this.#squares.fine += fine.lost ** 2;
    this.#count++;
  }

  #numbers(place: number, part: number): Uint32Array {
    return new Uint32Array(this.#buffer, this.#block(place) + part, BLOCK_ROWS);
  }

  #block(place: number): number {
    return this.#blocks[Math.floor(place / BLOCK_ROWS)] as number;
  }
}
