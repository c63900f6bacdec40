import { BoundedQueue } from './bounded-queue.ts';
import { type ProcessTask, TaskProcess, type TaskProcessOptions } from './task-process.ts';
import { WorkerFailure } from './worker-failure.ts';

export interface ProcessPoolOptions extends TaskProcessOptions {
  maxProcesses: number;
  /** How many tasks can wait. */
  maxWaiting: number;
}

/**
 * Processes with limits on time and queue length, for native code, which cannot be interrupted on a thread and could
 * crash the whole program. A process that exceeds its time is killed, and only its own task fails; the next task gets
 * another process.
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
   * Runs the task in a process as soon as one is free. The signal removes the task from the queue; a running task is
   * left to finish. Throws `WorkerFailure`, `ProcessExitedError`, the reason of the signal, or what the task threw.
   */
  run<Result>(task: ProcessTask, signal?: AbortSignal): Promise<Result> {
    return this.#queue.run(() => this.#runNow(task) as Promise<Result>, signal);
  }

  /** Kills all processes; running and waiting tasks fail as `closed`. */
  async close(): Promise<void> {
    this.#queue.close();
    await Promise.all([...this.#all].map((process) => process.kill(new WorkerFailure('closed'))));
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

  /** Returns an idle process, discarding those that have died meanwhile. */
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
