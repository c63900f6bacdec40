import { availableParallelism } from 'node:os';
import { WorkerPool, type WorkerPoolOptions } from '@bindery/concurrency';
import { unavailable } from '../../../errors.ts';
import type { StoredObject } from '../../../objects/store.ts';
import { refusalOf } from '../../../process/lack-of-resources.ts';
import type { Layout } from './layout.ts';
import type {
  ContentsToFind,
  DiskAnswer,
  DiskTask,
  FilesToPromote,
  FilesToRenew,
  FilesToStage,
  StagedFiles,
} from './worker/disk-worker.ts';
import type { ObjectsToRead, ReadTask } from './worker/read-worker.ts';

const MAX_WRITERS = 4;
const MAX_PROMOTERS = 2;

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

const BOUNDS: Omit<WorkerPoolOptions, 'maxWorkers'> = {
  entry: new URL('./worker/disk-worker.ts', import.meta.url),
  heapMegabytes: 64,
  timeout: 60_000,
  maxWaiting: 1_000,
  idleTimeout: 60_000,
};

const READER: Omit<WorkerPoolOptions, 'maxWorkers'> = {
  entry: new URL('./worker/read-worker.ts', import.meta.url),
  heapMegabytes: 64,
  maxWaiting: 10_000,
  idleTimeout: 10_000,
};

/** Threads that any number of stores can share. */
export interface DiskThreads {
  writers: WorkerPool;
  promoters: WorkerPool;
  reader: WorkerPool;
}

export function createDiskThreads(): DiskThreads {
  const writers = Math.max(1, Math.min(MAX_WRITERS, availableParallelism() - 1));
  return {
    writers: new WorkerPool({ ...BOUNDS, maxWorkers: writers }),
    promoters: new WorkerPool({ ...BOUNDS, maxWorkers: MAX_PROMOTERS }),
    reader: new WorkerPool({ ...READER, maxWorkers: 1 }),
  };
}

export async function closeDiskThreads({ writers, promoters, reader }: DiskThreads): Promise<void> {
  await Promise.all([writers, promoters, reader].map((pool) => pool.close()));
}

/**
 * The worker threads of one store for many small files: writers for uploads, one per processor except the one that
 * serves requests, but at most four; promoters, so that uploads need not wait for syncs; and a reader that verifies
 * stored objects. Tasks are bounded in size, except those of the reader, which can take as long as a large object.
 * Throws `unavailable` if the disk is so slow that too many tasks wait or one takes too long.
 */
export class DiskWorkers {
  readonly #root: string;
  readonly #threads: DiskThreads;
  readonly #areOwn: boolean;

  /** Shared threads outlive the store; without them the store creates its own. */
  constructor({ root }: Layout, shared?: DiskThreads) {
    this.#root = root;
    this.#threads = shared ?? createDiskThreads();
    this.#areOwn = shared === undefined;
  }

  /** Transfers the bytes to the worker. */
  stage(job: FilesToStage): Promise<StagedFiles> {
    const moved = [job.bytes.buffer as ArrayBuffer];
    return run(this.#threads.writers, { kind: 'stage', root: this.#root, ...job }, moved);
  }

  renew(job: FilesToRenew): Promise<string[]> {
    return run(this.#threads.writers, { kind: 'renew', root: this.#root, ...job });
  }

  /** Copies the contents, which can be views of an index: posting a view to a worker would post its whole buffer. */
  findAbsent({ storeId, ...contents }: ContentsToFind): Promise<number[]> {
    const hashes = new Uint8Array(contents.hashes);
    const sizes = new Float64Array(contents.sizes);
    const task = { kind: 'find-absent' as const, root: this.#root, storeId, hashes, sizes };
    return run(this.#threads.writers, task, [hashes.buffer, sizes.buffer]);
  }

  /** Returns the hashes of the objects whose bytes match them. */
  async read(job: ObjectsToRead): Promise<string[]> {
    try {
      const task: ReadTask = { root: this.#root, ...job };
      return await this.#threads.reader.run<string[]>(task);
    } catch (error) {
      throw refusalOf(error, { busy: unavailable('The store is too busy. Try again.', RETRY_AFTER) });
    }
  }

  promote(job: FilesToPromote): Promise<StoredObject[]> {
    return run(this.#threads.promoters, { kind: 'promote', root: this.#root, ...job });
  }

  async close(): Promise<void> {
    if (this.#areOwn) await closeDiskThreads(this.#threads);
  }
}

async function run<Result>(pool: WorkerPool, task: DiskTask, moved: ArrayBuffer[] = []): Promise<Result> {
  try {
    const answer = await pool.run<DiskAnswer<Result>>(task, moved);
    if ('failure' in answer) throw Object.assign(new Error(), answer.failure);
    return answer.value;
  } catch (error) {
    throw refusalOf(error, { busy: unavailable('The store is too busy. Try again.', RETRY_AFTER) });
  }
}
