import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type LoadJob, type LoadOutcome, loadVectors } from '../../search/vectors/load.ts';
import { localFiles } from './local-files.ts';

const { blocks } = workerData as { blocks: SharedArrayBuffer[] };

/** On Linux each thread has its own priority: searches take precedence over loading. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default function load(job: LoadJob): Promise<LoadOutcome> {
  return loadVectors(localFiles, blocks, job);
}
