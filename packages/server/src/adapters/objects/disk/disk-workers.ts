import { availableParallelism } from 'node:os';
import { WorkerFailure, WorkerPool, type WorkerPoolOptions } from '@bindery/concurrency';
import { ServiceError } from '../../../errors.ts';
import type { StoredObject } from '../../../objects/store.ts';
import type { Layout } from './layout.ts';
import type { AdmittedFiles, FilesToAdmit } from './worker/admit-files.ts';
import type { DiskAnswer, DiskTask } from './worker/disk-worker.ts';
import type { ContentsToFind } from './worker/find-absent.ts';
import type { FilesToPromote } from './worker/promote-files.ts';
import type { ObjectsToRead } from './worker/read-worker.ts';
import type { FilesToRenew } from './worker/renew-files.ts';

const MAX_WRITERS = 4;

/** Seconds after which a client may retry. */
const RETRY_AFTER = 5;

const BOUNDS: Omit<WorkerPoolOptions, 'maxWorkers' | 'workerData'> = {
  entry: new URL('./worker/disk-worker.ts', import.meta.url),
  heapMegabytes: 64,
  timeout: 60_000,
  maxWaiting: 1_000,
  idleTimeout: 60_000,
};

const READER: Omit<WorkerPoolOptions, 'maxWorkers' | 'workerData'> = {
  entry: new URL('./worker/read-worker.ts', import.meta.url),
  heapMegabytes: 64,
  maxWaiting: 10_000,
  idleTimeout: 10_000,
};

/**
 * The workers for many small files: some for uploads, one for each processor that requests leave free, and one
 * that makes objects, so that uploads need not wait for syncs, and one that reads objects again. Each task is of a bounded
 * size but the last, which is as long as a large object takes. Throws `unavailable` where
 * a disk is so slow that too many wait, or one takes too long.
 */
export class DiskWorkers {
  readonly #writers: WorkerPool;
  readonly #promoter: WorkerPool;
  readonly #reader: WorkerPool;

  constructor({ root }: Layout) {
    const writers = Math.max(1, Math.min(MAX_WRITERS, availableParallelism() - 1));
    this.#writers = new WorkerPool({ ...BOUNDS, maxWorkers: writers, workerData: { root } });
    this.#promoter = new WorkerPool({ ...BOUNDS, maxWorkers: 1, workerData: { root } });
    this.#reader = new WorkerPool({ ...READER, maxWorkers: 1, workerData: { root } });
  }

  /** Transfers the bytes to the worker. */
  admit(job: FilesToAdmit): Promise<AdmittedFiles> {
    return run(this.#writers, { kind: 'admit', ...job }, [job.bytes.buffer as ArrayBuffer]);
  }

  renew(job: FilesToRenew): Promise<string[]> {
    return run(this.#writers, { kind: 'renew', ...job });
  }

  findAbsent(job: ContentsToFind): Promise<number[]> {
    return run(this.#writers, { kind: 'find-absent', ...job });
  }

  /** The hashes of objects whose bytes match them. */
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
    await Promise.all([this.#writers, this.#promoter, this.#reader].map((pool) => pool.close()));
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
