import { availableParallelism } from 'node:os';
import { ServiceError } from '../../../errors.ts';
import type { StoredObject } from '../../../objects/store.ts';
import { LaneFailure, type LaneOptions, WorkerLane } from '../../workers/lane.ts';
import { LanePool } from '../../workers/lane-pool.ts';
import type { Layout } from './layout.ts';
import type { AdmittedFiles, FilesToAdmit } from './thread/admit-files.ts';
import type { DiskTask } from './thread/disk-thread.ts';
import type { FilesToPromote } from './thread/promote-files.ts';
import type { FilesToRenew } from './thread/renew-files.ts';

const MOST_WRITERS = 4;

/** Seconds after which a client may try again. */
const RETRY_AFTER = 5;

const LANE: Omit<LaneOptions, 'workerData'> = {
  entry: new URL('./thread/disk-thread.ts', import.meta.url),
  heapMegabytes: 64,
  timeLimit: 60_000,
  queueLength: 1_000,
  idleTime: 60_000,
};

/**
 * The threads that work on many small files: some for uploads, one for each processor that requests leave free, and one
 * that makes objects, so that uploads need not wait for syncs. Each task is of a bounded size. Throws `unavailable` where
 * a disk is so slow that too many wait, or one takes too long.
 */
export class DiskThreads {
  readonly #writers: LanePool;
  readonly #promoter: WorkerLane;

  constructor({ root }: Layout) {
    const writers = Math.max(1, Math.min(MOST_WRITERS, availableParallelism() - 1));
    this.#writers = new LanePool(writers, { ...LANE, workerData: { root } });
    this.#promoter = new WorkerLane({ ...LANE, workerData: { root } });
  }

  /** The bytes go to the thread, and are gone here. */
  admit(job: FilesToAdmit): Promise<AdmittedFiles> {
    return run(this.#writers, { kind: 'admit', ...job }, [job.bytes.buffer as ArrayBuffer]);
  }

  renew(job: FilesToRenew): Promise<string[]> {
    return run(this.#writers, { kind: 'renew', ...job });
  }

  promote(job: FilesToPromote): Promise<StoredObject[]> {
    return run(this.#promoter, { kind: 'promote', ...job });
  }

  async close(): Promise<void> {
    await Promise.all([this.#writers.close(), this.#promoter.close()]);
  }
}

async function run<Result>(
  threads: WorkerLane | LanePool,
  task: DiskTask,
  moved: ArrayBuffer[] = [],
): Promise<Result> {
  try {
    return await threads.run<Result>(task, moved);
  } catch (error) {
    if (!(error instanceof LaneFailure)) throw error;
    throw new ServiceError('unavailable', 'The store is too busy just now. Try again.', {
      retryAfter: RETRY_AFTER,
    });
  }
}
