import { workerData } from 'node:worker_threads';
import { CodeReader } from '../../search/vectors/candidates.ts';
import { type ScanOutcome, scan } from '../../search/vectors/scan.ts';
import { type ScanPart, ScanProgress } from '../../search/vectors/scan-part.ts';
import { localFiles } from './local-files.ts';

export interface ScanTask {
  query: Float32Array;
  parts: readonly ScanPart[];
  /** See `ScanProgress`; the same for all workers of a scan. */
  progress: SharedArrayBuffer;
  /** The minimum cosine of rows to find. */
  floor: number;
}

const reader = new CodeReader((workerData as { blocks: SharedArrayBuffer[] }).blocks);

export default function scanTogether({ query, parts, progress, floor }: ScanTask): ScanOutcome {
  return scan(localFiles, reader, query, parts, new ScanProgress(progress), floor);
}
