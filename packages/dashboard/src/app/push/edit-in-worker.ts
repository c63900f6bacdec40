import type { MetadataEdit } from '@bindery/sdk/browser/push';
import type { FromWorker, Target, ToWorker } from './protocol.ts';
import { startWorker } from './start-worker.ts';

/** Registers a revision with other metadata. Rejects with a sentence for people. */
export async function editInWorker(target: Target, edit: MetadataEdit): Promise<void> {
  const worker = startWorker();
  try {
    await new Promise<void>((resolve, reject) => {
      worker.onmessage = ({ data }: MessageEvent<FromWorker>) => {
        if (data.type === 'edited') resolve();
        else if (data.type === 'failed') reject(new Error(data.failure.message));
      };
      worker.onerror = ({ message }) => reject(new Error(message));
      const request: ToWorker = { type: 'edit', target, edit };
      worker.postMessage(request);
    });
  } finally {
    worker.terminate();
  }
}
