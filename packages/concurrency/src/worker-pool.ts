import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Worker } from 'node:worker_threads';
import { Piscina } from 'piscina';
import { BoundedQueue } from './bounded-queue.ts';
import { WorkerFailure } from './worker-failure.ts';

export interface WorkerPoolOptions {
  /** The module that a worker loads; its default export is called with each task. */
  entry: URL;
  maxWorkers: number;
  /** How many tasks may wait. */
  maxWaiting: number;
  /** How long one task may take, in milliseconds from its start; as long as it likes without one. */
  timeout?: number;
  /** How long a worker is kept for the next task (milliseconds); 0 ends it after each, and gives its memory back. */
  idleTimeout: number;
  /**
   * What the heap of one worker may grow to. More than any task that is admitted can need: V8 ends a thread at its limit
   * where it can, and aborts the process where it cannot (many small values at once), so a task's size needs a bound of
   * its own.
   */
  heapMegabytes: number;
  /** What of it is for new values. Those who read large documents keep nearly all, and copy less with more room. */
  youngMegabytes?: number;
  /** What a worker finds as its `workerData`. */
  workerData?: unknown;
}

/**
 * Worker threads with bounds on time, memory and queue. A worker that exceeds one of them is ended, and fails its own
 * task alone (of memory: see `heapMegabytes`): each answer names its task and comes over its worker's own channel, which ends with it.
 */
export class WorkerPool {
  readonly #pool: Piscina;
  readonly #queue: BoundedQueue;
  readonly #timeout: number | undefined;
  #closed = false;

  constructor({ maxWorkers, maxWaiting, timeout, ...options }: WorkerPoolOptions) {
    this.#timeout = timeout;
    // Piscina bounds no queue of tasks that can be aborted, and does not keep their order: it is given what it can start.
    this.#queue = new BoundedQueue({ concurrency: maxWorkers, maxWaiting });
    this.#pool = new Piscina({
      filename: fileURLToPath(options.entry),
      minThreads: 0,
      maxThreads: maxWorkers,
      idleTimeout: options.idleTimeout,
      execArgv: [],
      workerData: options.workerData,
      recordTiming: false,
      resourceLimits: {
        maxOldGenerationSizeMb: options.heapMegabytes,
        ...(options.youngMegabytes && { maxYoungGenerationSizeMb: options.youngMegabytes }),
      },
    });
    // A worker that fails between two tasks is replaced with the next one.
    this.#pool.on('error', () => {});
  }

  /**
   * Has a worker do the task. `transferList` is memory of the task that is given away.
   *
   * Throws `WorkerFailure` where a bound was exceeded or the pool is closed, otherwise what the worker threw.
   */
  run<Result>(task: unknown, transferList: readonly ArrayBuffer[] = []): Promise<Result> {
    return this.#queue.run(() => this.#runNow<Result>(task, transferList));
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.close();
    await this.#pool.destroy();
  }

  async #runNow<Result>(task: unknown, transferList: readonly ArrayBuffer[]): Promise<Result> {
    const timeout = new AbortController();
    let before: Worker[] = [];
    const end = () => {
      before = this.#pool.threads;
      timeout.abort();
    };
    const timer = this.#timeout === undefined ? undefined : setTimeout(end, this.#timeout);
    try {
      return await this.#pool.run(task, { signal: timeout.signal, transferList: [...transferList] });
    } catch (error) {
      if (this.#closed) throw new WorkerFailure('closed', { cause: error });
      if (timeout.signal.aborted) {
        await this.#endOf(before);
        throw new WorkerFailure('time', { cause: error });
      }
      if (isOutOfMemory(error)) throw new WorkerFailure('memory', { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits until nothing runs any more of those workers that the pool has given up. */
  async #endOf(workers: readonly Worker[]): Promise<void> {
    const kept = new Set(this.#pool.threads);
    const ended = workers.filter((worker) => !kept.has(worker) && worker.threadId !== -1);
    await Promise.all(ended.map((worker) => once(worker, 'exit')));
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
