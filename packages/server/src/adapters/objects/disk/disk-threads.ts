import { availableParallelism } from 'node:os';
import { WorkerFailure, WorkerPool, type WorkerPoolOptions } from '@bindery/concurrency';
import { ServiceError } from '../../../errors.ts';
import type { StoredObject } from '../../../objects/store.ts';
import type { Layout } from './layout.ts';
import type { AdmittedFiles, FilesToAdmit } from './thread/admit-files.ts';
import type { DiskAnswer, DiskTask } from './thread/disk-thread.ts';
import type { ContentsToFind } from './thread/find-absent.ts';
import type { FilesToPromote } from './thread/promote-files.ts';
import type { ObjectsToRead } from './thread/read-thread.ts';
import type { FilesToRenew } from './thread/renew-files.ts';

const MOST_WRITERS = 4;

/** Seconds after which a client may try again. */
const RETRY_AFTER = 5;

const BOUNDS: Omit<WorkerPoolOptions, 'maxThreads' | 'workerData'> = {
  entry: new URL('./thread/disk-thread.ts', import.meta.url),
  heapMegabytes: 64,
  timeout: 60_000,
  maxWaiting: 1_000,
  idleTimeout: 60_000,
};

const READER: Omit<WorkerPoolOptions, 'maxThreads' | 'workerData'> = {
  entry: new URL('./thread/read-thread.ts', import.meta.url),
  heapMegabytes: 64,
  maxWaiting: 10_000,
  idleTimeout: 10_000,
};

/**
 * The threads that work on many small files: some for uploads, one for each processor that requests leave free, and one
 * that makes objects, so that uploads need not wait for syncs, and one that reads objects again. Each task is of a bounded
 * size but the last, which is as long as a large object takes. Throws `unavailable` where
 * a disk is so slow that too many wait, or one takes too long.
 */
export class DiskThreads {
  readonly #writers: WorkerPool;
  readonly #promoter: WorkerPool;
  readonly #reader: WorkerPool;

  constructor({ root }: Layout) {
    const writers = Math.max(1, Math.min(MOST_WRITERS, availableParallelism() - 1));
    this.#writers = new WorkerPool({ ...BOUNDS, maxThreads: writers, workerData: { root } });
    this.#promoter = new WorkerPool({ ...BOUNDS, maxThreads: 1, workerData: { root } });
    this.#reader = new WorkerPool({ ...READER, maxThreads: 1, workerData: { root } });
  }

  /** The bytes go to the thread, and are gone here. */
  admit(job: FilesToAdmit): Promise<AdmittedFiles> {
    return run(this.#writers, { kind: 'admit', ...job }, [job.bytes.buffer as ArrayBuffer]);
  }

  renew(job: FilesToRenew): Promise<string[]> {
    return run(this.#writers, { kind: 'renew', ...job });
  }

  findAbsent(job: ContentsToFind): Promise<number[]> {
    return run(this.#writers, { kind: 'find-absent', ...job });
  }

  /** The hashes of those that hold what they are named for. */
  async read(job: ObjectsToRead): Promise<string[]> {
    try {
      return await this.#reader.run<string[]>(job);
    } catch (error) {
      throw error instanceof WorkerFailure ? isBusy() : error;
    }
  }

  promote(job: FilesToPromote): Promise<StoredObject[]> {
    return run(this.#promoter, { kind: 'promote', ...job });
  }

  async close(): Promise<void> {
    await Promise.all([this.#writers, this.#promoter, this.#reader].map((threads) => threads.close()));
  }
}

async function run<Result>(threads: WorkerPool, task: DiskTask, moved: ArrayBuffer[] = []): Promise<Result> {
  try {
    const answer = await threads.run<DiskAnswer<Result>>(task, moved);
    if ('failure' in answer) throw Object.assign(new Error(), answer.failure);
    return answer.value;
  } catch (error) {
    throw error instanceof WorkerFailure ? isBusy() : error;
  }
}

function isBusy(): ServiceError {
  return new ServiceError('unavailable', 'The store is too busy just now. Try again.', {
    retryAfter: RETRY_AFTER,
  });
}
