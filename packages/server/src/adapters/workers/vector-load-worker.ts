import { constants, setPriority } from 'node:os';
import { workerData } from 'node:worker_threads';
import { type LoadJob, type LoadOutcome, loadVectors } from '../../search/vectors/load.ts';
import { localFiles } from './local-files.ts';

const { blocks } = workerData as { blocks: SharedArrayBuffer[] };

/** On Linux priorities are the thread's own: searches of what is loaded come first. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

export default function load(job: LoadJob): Promise<LoadOutcome> {
  return loadVectors(localFiles, blocks, job);
}
