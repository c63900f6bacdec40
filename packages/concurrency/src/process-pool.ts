import { BoundedQueue } from './bounded-queue.ts';
import { type ProcessTask, TaskProcess, type TaskProcessOptions } from './task-process.ts';
import { WorkerFailure } from './worker-failure.ts';

export interface ProcessPoolOptions extends TaskProcessOptions {
  maxProcesses: number;
  /** How many tasks may wait. */
  maxWaiting: number;
}

/**
 * Processes with bounds on time and queue, for native code, which cannot be interrupted on a thread and would take the
 * whole program along. A process that exceeds its time is killed, and fails its own task alone; the next task has another.
 */
export class ProcessPool {
  readonly #options: ProcessPoolOptions;
  readonly #queue: BoundedQueue;
  readonly #all = new Set<TaskProcess>();
  readonly #idle = new Set<TaskProcess>();

  constructor(options: ProcessPoolOptions) {
    this.#options = options;
    this.#queue = new BoundedQueue({ concurrency: options.maxProcesses, maxWaiting: options.maxWaiting });
  }

  /**
   * Has a process do the task, when one is free. The signal takes the task out of the queue; one that runs is left to its
   * end. Throws `WorkerFailure`, `ProcessEnded`, the reason of the signal, or what the task threw.
   */
  run<Result>(task: ProcessTask, signal?: AbortSignal): Promise<Result> {
    return this.#queue.run(() => this.#runNow(task) as Promise<Result>, signal);
  }

  /** Ends all processes; what runs or waits fails as `closed`. */
  async close(): Promise<void> {
    this.#queue.close();
    await Promise.all([...this.#all].map((process) => process.end(new WorkerFailure('closed'))));
  }

  async #runNow(task: ProcessTask): Promise<unknown> {
    const process = this.#takeIdle() ?? this.#start();
    try {
      return await process.run(task);
    } finally {
      if (process.isAlive) this.#idle.add(process);
      else this.#all.delete(process);
    }
  }

  /** One that waits for work, leaving out those that have died meanwhile. */
  #takeIdle(): TaskProcess | undefined {
    for (const process of this.#idle) {
      this.#idle.delete(process);
      if (process.isAlive) return process;
      this.#all.delete(process);
    }
    return undefined;
  }

  #start(): TaskProcess {
    const process = new TaskProcess(this.#options);
    this.#all.add(process);
    return process;
  }
}
