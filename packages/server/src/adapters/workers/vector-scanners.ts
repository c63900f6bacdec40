import { WorkerPool } from '@bindery/concurrency';
import type { ScanOutcome, UnreadableVectors } from '../../search/vectors/scan.ts';
import { type FoundRows, type ScanPart, ScanProgress } from '../../search/vectors/scan-part.ts';
import type { VectorCandidate } from '../../search/vectors/vector-search.ts';
import type { ScanTask } from './vector-scan-worker.ts';

export interface ScannersOptions {
  /** The memory of all blocks, by block number. */
  blocks: readonly SharedArrayBuffer[];
  workers: number;
  /** How many scans can wait. */
  maxWaiting: number;
}

export interface ScannedParts {
  /** The best candidates of each worker. */
  candidates: VectorCandidate[];
  /** If there are any, the candidates are invalid. */
  unreadable: UnreadableVectors[];
}

/** Workers that share a scan, each taking the next block as soon as it has finished one. */
export class VectorScanners {
  readonly #count: number;
  readonly #workers: WorkerPool;

  constructor({ blocks, workers, maxWaiting }: ScannersOptions) {
    this.#count = workers;
    this.#workers = new WorkerPool({
      ...BOUNDS,
      maxWorkers: workers,
      maxWaiting: maxWaiting * workers,
      workerData: { blocks },
    });
  }

  async scan(query: Float32Array, parts: readonly ScanPart[], floor: number): Promise<ScannedParts> {
    const blocks = parts.reduce((sum, part) => sum + part.blocks.length, 0);
    const memory = ScanProgress.memory();
    const task: ScanTask = {
      query,
      parts: parts.map(({ filter, ...part }) => ({ ...part, filter: filter && shared(filter) })),
      progress: memory,
      floor,
    };
    const progress = new ScanProgress(memory);
    const workers = Array.from({ length: Math.min(this.#count, blocks) });
    const outcomes = await resolveWhenEnough(
      workers.map(() => this.#workers.run<ScanOutcome>(task)),
      // Does not wait for a worker that starts after all blocks are taken: others might use its CPU for long.
      (answers) => progress.isComplete(blocks, answers),
    );
    return {
      candidates: outcomes.flatMap((outcome) => ('found' in outcome ? candidatesOf(outcome.found) : [])),
      unreadable: outcomes.flatMap((outcome) => ('unreadable' in outcome ? [outcome.unreadable] : [])),
    };
  }

  close(): Promise<void> {
    return this.#workers.close();
  }
}

const BOUNDS = {
  entry: new URL('./vector-scan-worker.ts', import.meta.url),
  heapMegabytes: 64,
  timeout: 10_000,
  idleTimeout: 60_000,
};

/**
 * Resolves to the answers so far as soon as `isEnough` accepts their number, otherwise to all. Rejects with the first
 * error that occurs before.
 */
export function resolveWhenEnough<Answer>(
  answers: readonly Promise<Answer>[],
  isEnough: (count: number) => boolean,
): Promise<Answer[]> {
  return new Promise((resolve, reject) => {
    const given: Answer[] = [];
    const settle = () => {
      if (given.length === answers.length || isEnough(given.length)) resolve([...given]);
    };
    for (const answer of answers) {
      answer.then((one) => {
        given.push(one);
        settle();
      }, reject);
    }
    settle();
  });
}

/** Copies a filter once, to memory that all workers share, instead of once per worker. */
function shared(filter: Uint8Array): Uint8Array {
  const copy = new Uint8Array(new SharedArrayBuffer(filter.length));
  copy.set(filter);
  return copy;
}

function candidatesOf({ targets, assets, cosines }: FoundRows): VectorCandidate[] {
  return Array.from(cosines, (cosine, at) => ({
    target: targets[at] as number,
    document: assets[at] as number,
    cosine,
  }));
}
