import { parentPort, workerData } from 'node:worker_threads';
import { EncoderError } from '../errors.ts';
import { loadImageHalf } from './image-half.ts';
import type { EncoderTask, FromWorker, WorkerSettings } from './messages.ts';
import { loadTextHalf } from './text-half.ts';

if (parentPort === null) throw new Error('this module runs in a worker thread');
const port = parentPort;
const { folder, description, threads } = workerData as WorkerSettings;

/** Each half of the model takes much memory, and is loaded when it is first wanted. */
const textHalf = loadedOnce(() => loadTextHalf(folder, description, threads));
const imageHalf = loadedOnce(() => loadImageHalf(folder, description, threads));

port.on('message', async (task: EncoderTask) => {
  try {
    const rows = await run(task);
    tell({ type: 'done', rows }, rows.buffer as ArrayBuffer);
  } catch (error) {
    const failed =
      error instanceof EncoderError ? error : new EncoderError('failed', `The model cannot be run: ${error}`);
    tell({ type: 'failed', failure: failed.failure, message: failed.message, index: failed.index });
  }
});

async function run(task: EncoderTask): Promise<Float32Array> {
  if (task.kind === 'text') {
    const embed = await textHalf();
    tell({ type: 'running' });
    return embed(task.items);
  }
  const embed = await imageHalf();
  tell({ type: 'running' });
  return embed(task.items);
}

/** What could not be loaded is tried again the next time: its files may have been mended. */
function loadedOnce<Half>(load: () => Promise<Half>): () => Promise<Half> {
  let half: Promise<Half> | undefined;
  return () => {
    half ??= load().catch((error) => {
      half = undefined;
      throw error;
    });
    return half;
  };
}

function tell(message: FromWorker, ...moved: ArrayBuffer[]): void {
  port.postMessage(message, moved);
}
