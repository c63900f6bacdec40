import { Worker } from 'node:worker_threads';
import type { ThreadAnswer, ThreadTask } from './thread-tasks.ts';
import { WorkerFailure } from './worker-failure.ts';

export interface TaskThreadOptions {
  /** The module that the thread loads, which calls `answerTasks`. */
  entry: URL;
  /** What it finds as its `workerData`. */
  workerData?: unknown;
  /** What its heap may grow to; see `WorkerPoolOptions` on what that holds. */
  heapMegabytes: number;
}

/**
 * One thread for many short tasks of a command that ends soon: a `WorkerPool` takes longer to load and start than some of
 * them take altogether. Tasks are done in their order; what ends the thread fails all that wait. Memory of the tasks is
 * shared or copied, and the caller bounds how many there are at a time.
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
      .on('message', ({ nth, answer }: ThreadAnswer) => {
        this.#waiting.get(nth)?.resolve(answer);
        this.#waiting.delete(nth);
      })
      .on('error', (error) => {
        this.#end = error;
      })
      // Answers that the thread has sent can arrive after its error, but not after its exit.
      .on('exit', () => this.#rejectWaiting());
  }

  /** Rejects with what ended the thread, or with `WorkerFailure` where it was closed. */
  run<Answer>(task: unknown): Promise<Answer> {
    if (this.#end !== undefined) return Promise.reject(new WorkerFailure('closed'));
    const waiting = Promise.withResolvers<unknown>();
    const message: ThreadTask = { nth: this.#tasks++, task };
    this.#waiting.set(message.nth, waiting);
    this.#worker.postMessage(message);
    return waiting.promise as Promise<Answer>;
  }

  /** Resolves when nothing of the thread runs any more. */
  async close(): Promise<void> {
    await this.#worker.terminate();
  }

  #rejectWaiting(): void {
    this.#end ??= new WorkerFailure('closed');
    for (const { reject } of this.#waiting.values()) reject(this.#end);
    this.#waiting.clear();
  }
}
