import { WorkerPool } from '@bindery/concurrency';
import type { ScanOutcome, Unreadable } from '../../search/vectors/scan.ts';
import type { Found, ScanPart } from '../../search/vectors/scan-part.ts';
import { sharesOf } from '../../search/vectors/shares.ts';
import type { VectorCandidate } from '../../search/vectors/vector-search.ts';
import type { ScanTask } from './vector-scan-worker.ts';

export interface ScannersOptions {
  /** The memory of all blocks, by their numbers. */
  blocks: readonly SharedArrayBuffer[];
  workers: number;
  /** How many scans may wait. */
  maxWaiting: number;
}

export interface ScannedParts {
  /** The best of each worker's share. */
  candidates: VectorCandidate[];
  /** Where there are any, the candidates are worth nothing. */
  unreadable: Unreadable[];
}

/** Workers that scan, each a share of what is searched. */
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
    const shares = sharesOf(parts, this.#count);
    const outcomes = await Promise.all(
      shares.map((share) =>
        this.#workers.run<ScanOutcome>({ query, parts: share, floor } satisfies ScanTask),
      ),
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

function candidatesOf({ targets, assets, cosines }: Found): VectorCandidate[] {
  return Array.from(cosines, (cosine, at) => ({
    target: targets[at] as number,
    document: assets[at] as number,
    cosine,
  }));
}
