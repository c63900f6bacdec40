import { workerData } from 'node:worker_threads';
import type { Kernel } from '../../search/vectors/kernel.ts';
import { type ScanOutcome, type ScanPart, scan } from '../../search/vectors/scan.ts';

/** What a thread that scans is given once. */
export interface ScanThreadData {
  memory: WebAssembly.Memory;
  program: WebAssembly.Module;
  /** Where the thread's own scratch starts in memory. */
  scratch: number;
}

export interface ScanTask {
  query: Float32Array;
  parts: ScanPart[];
  /** A cosine that a row has to reach to be wanted. */
  floor: number;
}

const { memory, program, scratch } = workerData as ScanThreadData;
const { exports } = new WebAssembly.Instance(program, { env: { memory } });
const kernel = exports as unknown as Kernel;

export default function scanShare({ query, parts, floor }: ScanTask): ScanOutcome {
  return scan({ memory, kernel, scratch }, query, parts, floor);
}
