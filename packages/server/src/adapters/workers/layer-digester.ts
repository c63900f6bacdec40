import { once } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { WorkerPool } from '@bindery/concurrency';
import type { LayerDigest, LayerDigester } from '../../doors/images/image-layers.ts';
import { type LayerContent, readTar } from '../../doors/images/layer-bytes.ts';
import { unavailable } from '../../errors.ts';
import { ObjectDamaged } from '../../objects/damaged.ts';
import type { ObjectStore } from '../../objects/store.ts';
import { refusalOf } from '../../process/lack-of-resources.ts';
import type { LayerMessage, LayerOutcome, LayerRun, LayerTask } from './layer-worker.ts';

/** Bytes that are sent to a worker at a time. */
const BATCH = 1024 * 1024;

/** Seconds after which a client may retry. */
const RETRY_AFTER = 10;

/** Reads layers here, as they come from the store, and computes digests in worker threads. */
export function createLayerDigester(objects: Pick<ObjectStore, 'stream'>): LayerDigester {
  const workers = new WorkerPool({
    entry: new URL('./layer-worker.ts', import.meta.url),
    maxWorkers: 2,
    maxWaiting: 32,
    timeout: 3_600_000,
    idleTimeout: 10_000,
    heapMegabytes: 64,
  });
  return {
    digest: async (content) => {
      const { port1, port2 } = new MessageChannel();
      const task: LayerTask = { port: port2, tarBytes: content.tarBytes };
      const answer = workers.run<LayerOutcome>(task, [port2]);
      try {
        await Promise.all([answer, send(port1, objects, content, answer)]);
      } catch (error) {
        const busy = unavailable('The service is busy with other images. Try again.', RETRY_AFTER);
        throw refusalOf(error, { busy });
      } finally {
        port1.close();
      }
      return digestIn(await answer, content);
    },
    close: () => workers.close(),
  };
}

function digestIn(outcome: LayerOutcome, { storeId }: LayerContent): LayerDigest {
  if (outcome.kind === 'digest') return outcome.digest;
  throw new ObjectDamaged({ storeId, sha256: outcome.sha256 });
}

/** Sends the archive, one batch after the other, until the worker has answered. */
async function send(
  port: MessagePort,
  objects: Pick<ObjectStore, 'stream'>,
  content: LayerContent,
  answer: Promise<LayerOutcome>,
): Promise<void> {
  let batch = new Uint8Array(BATCH);
  let filled = 0;
  let runs: LayerRun[] = [];
  let isOver = false;
  const over = answer.then(
    () => {
      isOver = true;
    },
    () => {
      isOver = true;
    },
  );
  for await (const { position: _, bytes, file, isLast } of readTar(objects, content)) {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + BATCH - filled);
      batch.set(part, filled);
      filled += part.length;
      at += part.length;
      const ends = isLast && at === bytes.length ? (file?.sha256 ?? null) : null;
      runs.push({ length: part.length, isFile: file !== null, ends });
      if (filled === BATCH) await flush();
      if (isOver) return;
    }
  }
  await flush();
  port.postMessage(null satisfies LayerMessage);

  async function flush(): Promise<void> {
    const message: LayerMessage = { bytes: batch.subarray(0, filled), runs };
    const read = once(port, 'message');
    port.postMessage(message, [batch.buffer]);
    [batch, filled, runs] = [new Uint8Array(BATCH), 0, []];
    await Promise.race([read, over]);
  }
}
