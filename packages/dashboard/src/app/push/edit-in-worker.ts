import { startPushWorker } from '../start-worker.ts';
import type { EditRequest, FromWorker } from './protocol.ts';

/** Registers a revision with changed metadata or thumbnails. Rejects with a message for users. */
export async function editInWorker(request: EditRequest): Promise<void> {
  const worker = startPushWorker();
  try {
    await new Promise<void>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === 'edited') resolve();
        else if (data.type === 'failed') reject(new Error(data.failure.message));
      };
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(request);
    });
  } finally {
    worker.terminate();
  }
}
