import { availableParallelism } from 'node:os';
import { WorkerFailure, WorkerPool, type WorkerPoolOptions } from '@bindery/concurrency';
import { ServiceError } from '../../../errors.ts';
import type { StoredObject } from '../../../objects/store.ts';
import { FileSystemFlush } from './file-system-flush.ts';
import type { Layout } from './layout.ts';
import type { AdmittedFiles, FilesToAdmit } from './worker/admit-files.ts';
import type { DiskAnswer, DiskTask } from './worker/disk-worker.ts';
import type { ContentsToFind } from './worker/find-absent.ts';
import type { FilesToPromote } from './worker/promote-files.ts';
import type { ObjectsToRead, ReadTask } from './worker/read-worker.ts';
import type { FilesToRenew } from './worker/renew-files.ts';

const MAX_WRITERS = 4;

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

/** Threads that work for any number of stores. */
export interface DiskThreads {
  writers: WorkerPool;
  promoter: WorkerPool;
  reader: WorkerPool;
}

export function createDiskThreads(): DiskThreads {
  const writers = Math.max(1, Math.min(MAX_WRITERS, availableParallelism() - 1));
  return {
    writers: new WorkerPool({ ...BOUNDS, maxWorkers: writers }),
    promoter: new WorkerPool({ ...BOUNDS, maxWorkers: 1 }),
    reader: new WorkerPool({ ...READER, maxWorkers: 1 }),
  };
}

export async function closeDiskThreads({ writers, promoter, reader }: DiskThreads): Promise<void> {
  await Promise.all([writers, promoter, reader].map((pool) => pool.close()));
}

/**
 * The workers of one store for many small files: some for uploads, one for each processor that requests leave free, and one
 * that makes objects, so that uploads need not wait for syncs, and one that reads objects again. Each task is of a bounded
 * size but the last, which is as long as a large object takes. Throws `unavailable` where
 * a disk is so slow that too many wait, or one takes too long.
 */
export class DiskWorkers {
  readonly #root: string;
  readonly #threads: DiskThreads;
  readonly #areOwn: boolean;
  readonly #fileSystem: FileSystemFlush;

  /** Threads that are shared outlive the store; without them it has its own. */
  constructor({ root }: Layout, shared?: DiskThreads) {
    this.#root = root;
    this.#threads = shared ?? createDiskThreads();
    this.#areOwn = shared === undefined;
    this.#fileSystem = new FileSystemFlush(root);
  }

  /** Transfers the bytes to the worker. */
  admit(job: FilesToAdmit): Promise<AdmittedFiles> {
    const moved = [job.bytes.buffer as ArrayBuffer];
    return run(this.#threads.writers, { kind: 'admit', root: this.#root, ...job }, moved);
  }

  renew(job: FilesToRenew): Promise<string[]> {
    return run(this.#threads.writers, { kind: 'renew', root: this.#root, ...job });
  }

  /** The contents may be part of an index. They are copied, since a view that is sent takes along all memory behind it. */
  findAbsent({ storeId, ...contents }: ContentsToFind): Promise<number[]> {
    const hashes = new Uint8Array(contents.hashes);
    const sizes = new Float64Array(contents.sizes);
    const task = { kind: 'find-absent' as const, root: this.#root, storeId, hashes, sizes };
    return run(this.#threads.writers, task, [hashes.buffer, sizes.buffer]);
  }

  /** The hashes of objects whose bytes match them. */
  async read(job: ObjectsToRead): Promise<string[]> {
    try {
      const task: ReadTask = { root: this.#root, ...job };
      return await this.#threads.reader.run<string[]>(task);
    } catch (error) {
      throw error instanceof WorkerFailure ? isBusy() : error;
    }
  }

  promote(job: FilesToPromote): Promise<StoredObject[]> {
    return run(this.#threads.promoter, { kind: 'promote', root: this.#root, ...job });
  }

  /** See `FileSystemFlush`. */
  flush(): Promise<void> {
    return this.#fileSystem.flush();
  }

  /** Starts what flushes, which otherwise starts with the first flush. */
  startFlushing(): void {
    this.#fileSystem.start();
  }

  async close(): Promise<void> {
    this.#fileSystem.close();
    if (this.#areOwn) await closeDiskThreads(this.#threads);
  }
}

async function run<Result>(pool: WorkerPool, task: DiskTask, moved: ArrayBuffer[] = []): Promise<Result> {
  try {
    const answer = await pool.run<DiskAnswer<Result>>(task, moved);
    if ('failure' in answer) throw Object.assign(new Error(), answer.failure);
    return answer.value;
  } catch (error) {
    throw error instanceof WorkerFailure ? isBusy() : error;
  }
}

function isBusy(): ServiceError {
  return new ServiceError('unavailable', 'The store is too busy. Try again.', {
    retryAfter: RETRY_AFTER,
  });
}
