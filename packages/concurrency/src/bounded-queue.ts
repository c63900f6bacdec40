import PQueue from 'p-queue';
import { WorkerFailure } from './worker-failure.ts';

export interface BoundedQueueOptions {
  /** How many tasks run at a time. */
  concurrency: number;
  /** How many more tasks can wait. */
  maxWaiting: number;
}

/** Runs tasks in order of arrival, with limits on how many run and how many wait. */
export class BoundedQueue {
  readonly #queue: PQueue;
  readonly #maxWaiting: number;
  #closed = false;

  constructor({ concurrency, maxWaiting }: BoundedQueueOptions) {
    this.#queue = new PQueue({ concurrency });
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Settles as the task does. The signal removes the task from the queue; a running task is left to finish. Throws
   * `WorkerFailure` (`full` or `closed`), or the reason of the signal, if the task never ran.
   */
  async run<Result>(task: () => Promise<Result>, signal?: AbortSignal): Promise<Result> {
    if (this.#closed) throw new WorkerFailure('closed');
    const { size, pending, concurrency } = this.#queue;
    if (pending >= concurrency && size >= this.#maxWaiting) throw new WorkerFailure('full');
    let started = false;
    const start = () => {
      started = true;
      return task();
    };
    try {
      if (signal === undefined) return await this.#queue.add(start);
      return await this.#runUnlessAborted(start, signal);
    } catch (error) {
      throw this.#closed && !started ? new WorkerFailure('closed') : error;
    }
  }

  /** Rejects waiting tasks and any that come later; running tasks continue. */
  close(): void {
    this.#closed = true;
    this.#queue.clear();
  }

  /**
   * Listens to the signal only while the task waits: if it aborts later, `PQueue` would start the next task although
   * this one is still running.
   */
  async #runUnlessAborted<Result>(task: () => Promise<Result>, signal: AbortSignal): Promise<Result> {
    signal.throwIfAborted();
    const waiting = new AbortController();
    const giveUp = () => waiting.abort(signal.reason);
    signal.addEventListener('abort', giveUp);
    const start = () => {
      signal.removeEventListener('abort', giveUp);
      return task();
    };
    try {
      return await this.#queue.add(start, { signal: waiting.signal });
    } finally {
      signal.removeEventListener('abort', giveUp);
    }
  }
}
