import type { LocalFiles } from '../../revision/local-files.ts';
import { type Block, DIMENSIONS } from '../../revision/vectors/block.ts';
import type { Candidate } from './candidates.ts';
import { type FoundRows, ownerOf, type ScanPart, type ScanProgress } from './scan-part.ts';

/** A full row can no longer be read. */
export class UnreadableRow extends Error {
  readonly part: number;

  constructor(part: number, cause: unknown) {
    super((cause as Error).message, { cause });
    this.part = part;
  }
}

interface ExactRow {
  target: number;
  asset: number;
  cosine: number;
}

/** Compares a query with full rows read from files; collects their cosines and shares them with the other workers. */
export class ExactRows {
  readonly #files: Pick<LocalFiles, 'opened'>;
  readonly #query: Float32Array;
  readonly #progress: ScanProgress;
  readonly #full = new Float32Array(DIMENSIONS);
  readonly #rows: ExactRow[] = [];
  readonly #compared = new Map<Block, Set<number>>();

  constructor(files: Pick<LocalFiles, 'opened'>, query: Float32Array, progress: ScanProgress) {
    this.#files = files;
    this.#query = query;
    this.#progress = progress;
  }

  /** Compares a row, unless it has been compared before. Throws `UnreadableRow` if it cannot be read. */
  compare({ run: { part, block }, row }: Candidate): void {
    const compared = this.#compared.get(block) ?? new Set();
    if (compared.has(row)) return;
    this.#compared.set(block, compared.add(row));
    this.#read(part, block.rows[row] as number);
    const score = cosine(this.#query, this.#full);
    // A row that was damaged on disk after its vectors were loaded is not a candidate.
    if (!Number.isFinite(score)) return;
    this.#progress.shareCosine(score);
    this.#rows.push({ ...ownerOf(part.owners, block.assets[row] as number), cosine: score });
  }

  /** Returns the `count` best rows; ties are ordered by target, then by asset. */
  best(count: number): FoundRows {
    const sorted = this.#rows
      .sort((a, b) => b.cosine - a.cosine || a.target - b.target || a.asset - b.asset)
      .slice(0, count);
    return {
      targets: Uint32Array.from(sorted, ({ target }) => target),
      assets: Uint32Array.from(sorted, ({ asset }) => asset),
      cosines: Float64Array.from(sorted, ({ cosine }) => cosine),
    };
  }

  #read({ file, number }: ScanPart, row: number): void {
    try {
      this.#files.opened(file).fill(this.#full, row * this.#full.byteLength);
    } catch (error) {
      throw new UnreadableRow(number, error);
    }
  }
}

/**
 * Returns the cosine of a query of length 1 and a row, in 64-bit floats and always summed in the same order, so that
 * the result is identical to the last digit wherever it is computed.
 */
export function cosine(query: Float32Array, row: Float32Array): number {
  let dot0 = 0;
  let dot1 = 0;
  let square0 = 0;
  let square1 = 0;
  for (let at = 0; at < DIMENSIONS; at += 2) {
    const even = row[at] as number;
    const odd = row[at + 1] as number;
    dot0 += even * (query[at] as number);
    dot1 += odd * (query[at + 1] as number);
    square0 += even * even;
    square1 += odd * odd;
  }
  return (dot0 + dot1) / Math.sqrt(square0 + square1);
}
