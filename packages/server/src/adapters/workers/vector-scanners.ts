import { WorkerPool } from '@bindery/concurrency';
import { SCRATCH_BYTES } from '../../search/vectors/estimates.ts';
import { kernelProgram } from '../../search/vectors/kernel.ts';
import type { Found, ScanOutcome, ScanPart, Unreadable } from '../../search/vectors/scan.ts';
import { sharesOf } from '../../search/vectors/shares.ts';
import type { VectorCandidate } from '../../search/vectors/vector-search.ts';
import type { ScanTask, ScanThreadData } from './vector-scan-thread.ts';

export interface ScannersOptions {
  memory: WebAssembly.Memory;
  maximumPages: number;
  threads: number;
  /** How many scans may wait. */
  maxWaiting: number;
}

export interface ScannedParts {
  /** The best of each thread's share. */
  candidates: VectorCandidate[];
  /** Where there are any, the candidates are worth nothing. */
  unreadable: Unreadable[];
}

/** Threads that scan, each a share of what is searched; each has scratch at the start of the memory. */
export class VectorScanners {
  readonly #workers: readonly WorkerPool[];

  constructor({ memory, maximumPages, threads, maxWaiting }: ScannersOptions) {
    const program = new WebAssembly.Module(kernelProgram(maximumPages));
    this.#workers = Array.from({ length: threads }, (_, number) => {
      const workerData: ScanThreadData = { memory, program, scratch: number * SCRATCH_BYTES };
      return new WorkerPool({ ...BOUNDS, maxWaiting, workerData });
    });
  }

  async scan(query: Float32Array, parts: readonly ScanPart[], floor: number): Promise<ScannedParts> {
    const shares = sharesOf(parts, this.#workers.length);
    const outcomes = await Promise.all(
      shares.map((share, at) =>
        (this.#workers[at] as WorkerPool).run<ScanOutcome>({ query, parts: share, floor } satisfies ScanTask),
      ),
    );
    return {
      candidates: outcomes.flatMap((outcome) => ('found' in outcome ? candidatesOf(outcome.found) : [])),
      unreadable: outcomes.flatMap((outcome) => ('unreadable' in outcome ? [outcome.unreadable] : [])),
    };
  }

  async close(): Promise<void> {
    await Promise.all(this.#workers.map((worker) => worker.close()));
  }
}

const BOUNDS = {
  entry: new URL('./vector-scan-thread.ts', import.meta.url),
  maxThreads: 1,
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
