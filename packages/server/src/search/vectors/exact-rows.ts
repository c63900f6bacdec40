import type { LocalFiles } from '../../revision/local-files.ts';
import { type Block, DIMENSIONS } from '../../revision/vectors/block.ts';
import type { Candidate } from './candidates.ts';
import { cosine } from './cosine.ts';
import type { FoundRows, ScanPart } from './scan-part.ts';
import type { ScanProgress } from './scan-progress.ts';

/** A full row can no longer be read. */
export class UnreadableRow extends Error {
  readonly target: number;

  constructor(target: number, cause: unknown) {
    super((cause as Error).message, { cause });
    this.target = target;
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
    this.#rows.push({ target: part.target, asset: block.assets[row] as number, cosine: score });
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

  #read({ file, target }: ScanPart, row: number): void {
    try {
      this.#files.opened(file).fill(this.#full, row * this.#full.byteLength);
    } catch (error) {
      throw new UnreadableRow(target, error);
    }
  }
}
