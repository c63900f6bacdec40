import { constants, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { type LoadJob, loadVectors } from '../../search/vectors/load.ts';
import type { ThreadAnswer } from './lane.ts';

const { memory } = workerData as { memory: WebAssembly.Memory };

/** On Linux priorities are the thread's own: searches of what is loaded come first. */
if (process.platform === 'linux') setPriority(constants.priority.PRIORITY_BELOW_NORMAL);

parentPort?.on('message', async (job: LoadJob) => {
  try {
    answer({ ok: true, value: await loadVectors(memory, job) });
  } catch (error) {
    answer({ ok: false, message: (error as Error).stack ?? String(error) });
  }
});

function answer(message: ThreadAnswer): void {
  parentPort?.postMessage(message);
}
