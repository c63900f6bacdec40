import { workerData } from 'node:worker_threads';
import { CodeReader } from '../../search/vectors/runs.ts';
import { type ScanOutcome, scan } from '../../search/vectors/scan.ts';
import type { ScanPart } from '../../search/vectors/scan-part.ts';
import { localFiles } from './local-files.ts';

export interface ScanTask {
  query: Float32Array;
  parts: ScanPart[];
  /** A cosine that a row has to reach to be wanted. */
  floor: number;
}

const reader = new CodeReader((workerData as { blocks: SharedArrayBuffer[] }).blocks);

export default function scanShare({ query, parts, floor }: ScanTask): ScanOutcome {
  return scan(localFiles, reader, query, parts, floor);
}
