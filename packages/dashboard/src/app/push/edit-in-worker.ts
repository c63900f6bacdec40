import { startPushWorker } from '../start-worker.ts';
import type { EditRequest, FromWorker } from './protocol.ts';

/**
 * Registers a revision with changed metadata or thumbnails, or proposes it and returns the number of the proposal.
 * Rejects with a message for users.
 */
export async function editInWorker(request: EditRequest): Promise<number | null> {
  const worker = startPushWorker();
  try {
    return await new Promise((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === 'edited') resolve(data.proposal);
        else if (data.type === 'failed') reject(new Error(data.failure.message));
      };
      worker.onerror = ({ message }) => reject(new Error(message));
      worker.postMessage(request);
    });
  } finally {
    worker.terminate();
  }
}
