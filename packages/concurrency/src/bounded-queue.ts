import PQueue from 'p-queue';
import { WorkerFailure } from './worker-failure.ts';

export interface BoundedQueueOptions {
  /** How many tasks run at a time. */
  concurrency: number;
  /** How many more may wait. */
  maxWaiting: number;
}

/** Runs tasks in the order in which they came, with bounds on how many run and how many wait. */
export class BoundedQueue {
  readonly #queue: PQueue;
  readonly #maxWaiting: number;
  #closed = false;

  constructor({ concurrency, maxWaiting }: BoundedQueueOptions) {
    this.#queue = new PQueue({ concurrency });
    this.#maxWaiting = maxWaiting;
  }

  /**
   * Settles as the task does. The signal takes a task out of the queue; one that runs is left to its end. Throws
   * `WorkerFailure` (`full` or `closed`), or the reason of the signal, where the task never ran.
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

  /** Refuses what waits and whatever comes later; what runs goes on. */
  close(): void {
    this.#closed = true;
    this.#queue.clear();
  }

  /** The queue itself would start the next task as soon as the signal of one that runs is aborted. */
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
