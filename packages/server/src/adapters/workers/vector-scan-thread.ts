import { workerData } from 'node:worker_threads';
import { CodeReader } from '../../search/vectors/runs.ts';
import { type ScanOutcome, type ScanPart, scan } from '../../search/vectors/scan.ts';

export interface ScanTask {
  query: Float32Array;
  parts: ScanPart[];
  /** A cosine that a row has to reach to be wanted. */
  floor: number;
}

const reader = new CodeReader((workerData as { blocks: SharedArrayBuffer[] }).blocks);

export default function scanShare({ query, parts, floor }: ScanTask): ScanOutcome {
  return scan(reader, query, parts, floor);
}
