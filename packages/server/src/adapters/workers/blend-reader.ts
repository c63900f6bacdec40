import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { WorkerFailure, WorkerPool } from '@bindery/concurrency';
import type { BlendAssets } from '@bindery/formats/blend/data-blocks';
import type { BlendReader } from '../../doors/blender/blend-files.ts';
import { unavailable } from '../../errors.ts';
import { refusalOf } from '../../process/lack-of-resources.ts';

/** Seconds after which a client may retry. */
const RETRY_AFTER = 10;

/** Reads Blender files in worker threads. A file that takes too much counts as one that cannot be read. */
export function createBlendReader(): BlendReader {
  const workers = new WorkerPool({
    entry: new URL('./blend-worker.ts', import.meta.url),
    maxWorkers: 2,
    maxWaiting: 64,
    processorTime: 60_000,
    timeout: 600_000,
    idleTimeout: 10_000,
    heapMegabytes: 128,
  });
  return {
    version: '1',
    read: async (file, into) => {
      await writeFile(join(into, NAME), JSON.stringify(await readIn(workers, file)));
      return { name: NAME, losses: [] };
    },
    close: () => workers.close(),
  };
}

const NAME = 'assets.json';

async function readIn(workers: WorkerPool, file: string): Promise<BlendAssets | null> {
  try {
    return await workers.run<BlendAssets | null>(file);
  } catch (error) {
    if (error instanceof WorkerFailure && (error.reason === 'time' || error.reason === 'memory')) return null;
    const busy = unavailable('The service is busy with other Blender files. Try again.', RETRY_AFTER);
    throw refusalOf(error, { busy });
  }
}
