import { Worker } from 'node:worker_threads';
import type { ThreadAnswer, ThreadTask } from './thread-tasks.ts';
import { WorkerFailure } from './worker-failure.ts';

export interface TaskThreadOptions {
  /** The module that the thread loads, which calls `serveThreadTasks`. */
  entry: URL;
  /** The thread's `workerData`. */
  workerData?: unknown;
  /** Heap limit of the thread; see `WorkerPoolOptions` for what happens at the limit. */
  heapMegabytes: number;
}

/**
 * One thread for many short tasks of a short-lived command: a `WorkerPool` takes longer to load and start than all
 * tasks of some commands together. Tasks run in order; if the thread terminates, all waiting tasks fail. Memory of the
 * tasks is shared or copied, and the caller limits how many there are at a time.
 */
export class TaskThread {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #tasks = 0;
  /** What ended the thread, or undefined while it runs. */
  #end: unknown;

  constructor({ entry, workerData, heapMegabytes }: TaskThreadOptions) {
    this.#worker = new Worker(entry, {
      workerData,
      execArgv: [],
      resourceLimits: { maxOldGenerationSizeMb: heapMegabytes },
    });
    this.#worker
      .on('message', ({ taskId, answer }: ThreadAnswer) => {
        this.#waiting.get(taskId)?.resolve(answer);
        this.#waiting.delete(taskId);
      })
      .on('error', (error) => {
        this.#end = error;
      })
      // Answers that the thread has sent can arrive after its error, but not after its exit.
      .on('exit', () => this.#rejectWaiting());
  }

  /** Rejects with the error that terminated the thread, or with `WorkerFailure` if the thread was closed. */
  run<Answer>(task: unknown): Promise<Answer> {
    if (this.#end !== undefined) return Promise.reject(new WorkerFailure('closed'));
    const waiting = Promise.withResolvers<unknown>();
    const message: ThreadTask = { taskId: this.#tasks++, task };
    this.#waiting.set(message.taskId, waiting);
    this.#worker.postMessage(message);
    return waiting.promise as Promise<Answer>;
  }

  /** Resolves when the thread has stopped. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #rejectWaiting(): void {
    this.#end ??= new WorkerFailure('closed');
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }
}
