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
  /** How many tasks can wait. */
  maxWaiting: number;
  /** Time limit of a task, in milliseconds from its start; no limit if absent. */
  timeout?: number;
  /** How long an idle worker is kept (milliseconds); 0 terminates it after each task, which frees its memory. */
  idleTimeout: number;
  /**
   * Heap limit of one worker. It must exceed what any admitted task can need: at the limit, V8 terminates the thread if
   * it can, and aborts the process if it cannot (many small values at once), so the size of tasks must be limited
   * separately.
   */
  heapMegabytes: number;
  /**
   * Limit of the young generation, on top of `heapMegabytes`. Tasks that read large documents retain nearly all that
   * they allocate; with more space, V8 copies less.
   */
  youngMegabytes?: number;
  /** The `workerData` of a worker. */
  workerData?: unknown;
}

/**
 * Worker threads with limits on time, memory and queue length. A worker that exceeds its time or memory is terminated,
 * and only its own task fails (for memory, see `heapMegabytes`): each answer names its task and arrives over its
 * worker's own channel, which closes with the worker.
 */
export class WorkerPool {
  readonly #pool: Piscina;
  readonly #queue: BoundedQueue;
  readonly #timeout: number | undefined;
  #closed = false;

  constructor({ maxWorkers, maxWaiting, timeout, ...options }: WorkerPoolOptions) {
    this.#timeout = timeout;
    // Piscina neither limits the queue of tasks that can be aborted nor keeps their order, so it is only given tasks
    // that it can start.
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
    // A worker that fails between two tasks is replaced when the next task starts.
    this.#pool.on('error', () => {});
  }

  /**
   * Runs the task in a worker. `transferList` is memory of the task that is transferred to it.
   *
   * Throws `WorkerFailure` if a limit was exceeded or the pool is closed, otherwise what the worker threw.
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
        await this.#waitForExit(before);
        throw new WorkerFailure('time', { cause: error });
      }
      if (isOutOfMemory(error)) throw new WorkerFailure('memory', { cause: error });
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  /** Waits until those of the workers that the pool has discarded have exited. */
  async #waitForExit(workers: readonly Worker[]): Promise<void> {
    const kept = new Set(this.#pool.threads);
    const ended = workers.filter((worker) => !kept.has(worker) && worker.threadId !== -1);
    await Promise.all(ended.map((worker) => once(worker, 'exit')));
  }
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
