import { WorkerPool } from '@bindery/concurrency';
import { ServiceError, unavailable } from '../../errors.ts';
import type { BodyReader } from '../../http/body.ts';
import { refusalOf } from '../../process/lack-of-resources.ts';
import { unpackListInTurns } from '../../process/packed-list.ts';
import type { BodyOutcome, BodyTask } from './body-worker.ts';

/** Seconds after which a client may retry. */
const RETRY_AFTER = 1;

/** Reads bodies one after another in a worker. */
export function createBodyReader(): BodyReader {
  const worker = new WorkerPool({
    entry: new URL('./body-worker.ts', import.meta.url),
    maxWorkers: 1,
    maxWaiting: 64,
    processorTime: 10_000,
    timeout: 60_000,
    idleTimeout: 300_000,
    heapMegabytes: 256,
  });
  return {
    read: async ({ method, path }, bytes, format = 'json') =>
      unpack(await run(worker, { method, path, bytes, format })),
    close: () => worker.close(),
  };
}

async function run(worker: WorkerPool, task: BodyTask): Promise<BodyOutcome> {
  const { bytes } = task;
  // A buffer that also holds other data must not be transferred.
  const own = bytes.byteLength === bytes.buffer.byteLength ? bytes : new Uint8Array(bytes);
  try {
    return await worker.run<BodyOutcome>({ ...task, bytes: own }, [own.buffer as ArrayBuffer]);
  } catch (error) {
    throw refusalOf(error, {
      busy: unavailable('The service is busy reading other requests. Try again.', RETRY_AFTER),
      time: unavailable('The body took too long to read. Send less at once, or try again.', RETRY_AFTER),
      memory: new ServiceError('payload_too_large', 'The body needs more memory than a request may use.'),
    });
  }
}

async function unpack(outcome: BodyOutcome): Promise<unknown> {
  if (outcome.kind === 'refused') throw new ServiceError(outcome.code, outcome.message, outcome.details);
  const { value, lists } = outcome;
  for (const { name, packed } of lists) {
    (value as Record<string, unknown>)[name] = await unpackListInTurns(packed);
  }
  return value;
}
