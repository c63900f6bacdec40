import { Worker } from 'node:worker_threads';

export interface LaneOptions {
  /** The module that the thread runs; it answers each message with a `ThreadAnswer`. */
  entry: URL;
  /** What the thread's heap may grow to. */
  heapMegabytes: number;
  /** What of it is for new values. Those who read large documents keep nearly all, and copy less with more room. */
  youngMegabytes?: number;
  /** How long one task may take (milliseconds). */
  timeLimit: number;
  /** How many tasks may wait. */
  queueLength: number;
  /** How long the thread is kept for the next task; 0 ends it after each, and gives its memory back. */
  idleTime: number;
  /** What the thread finds as its `workerData`. */
  workerData?: unknown;
}

/** `code` is what the system calls the failure, where it has a name for it. */
export type ThreadAnswer = { ok: true; value: unknown } | { ok: false; message: string; code?: string };

/** Why a task has no answer, though there is nothing wrong with its program. */
export class LaneFailure extends Error {
  readonly reason: 'full' | 'time' | 'memory' | 'closed';

  constructor(reason: LaneFailure['reason']) {
    super(`the worker thread gave up: ${reason}`);
    this.reason = reason;
  }
}

interface Task {
  message: unknown;
  moved: readonly ArrayBuffer[];
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/** Runs tasks one after another on a thread of its own, with bounds on time, memory and queue. */
export class WorkerLane {
  readonly #options: LaneOptions;
  readonly #queue: Task[] = [];
  #worker: Worker | null = null;
  #running: Task | null = null;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: LaneOptions) {
    this.#options = options;
  }

  /** Gives a message to the thread and answers what it says. `moved` is memory of the message that is given away. */
  run<Result>(message: unknown, moved: readonly ArrayBuffer[] = []): Promise<Result> {
    if (this.#closed) return Promise.reject(new LaneFailure('closed'));
    if (this.#queue.length >= this.#options.queueLength) return Promise.reject(new LaneFailure('full'));
    return new Promise<Result>((resolve, reject) => {
      this.#queue.push({ message, moved, resolve: resolve as (value: unknown) => void, reject });
      this.#startNext();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const task of this.#queue.splice(0)) task.reject(new LaneFailure('closed'));
    await this.#endThread(new LaneFailure('closed'));
  }

  #startNext(): void {
    if (this.#running) return;
    clearTimeout(this.#timer);
    const task = this.#queue.shift();
    if (!task) {
      this.#timer = setTimeout(() => void this.#endThread(null), this.#options.idleTime).unref();
      return;
    }
    this.#running = task;
    this.#worker ??= this.#startThread();
    this.#timer = setTimeout(() => void this.#endThread(new LaneFailure('time')), this.#options.timeLimit);
    this.#worker.postMessage(task.message, task.moved);
  }

  #startThread(): Worker {
    const worker = new Worker(this.#options.entry, {
      execArgv: [],
      workerData: this.#options.workerData,
      resourceLimits: {
        maxOldGenerationSizeMb: this.#options.heapMegabytes,
        ...(this.#options.youngMegabytes && { maxYoungGenerationSizeMb: this.#options.youngMegabytes }),
      },
    });
    worker.on('message', (answer: ThreadAnswer) => {
      if (answer.ok) this.#settle((task) => task.resolve(answer.value));
      else {
        const error = Object.assign(new Error(answer.message), answer.code && { code: answer.code });
        this.#settle((task) => task.reject(error));
      }
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#worker === worker) this.#worker = null;
      const outOfMemory = error.code === 'ERR_WORKER_OUT_OF_MEMORY';
      this.#settle((task) => task.reject(outOfMemory ? new LaneFailure('memory') : error));
    });
    worker.unref();
    return worker;
  }

  #settle(finish: (task: Task) => void): void {
    const task = this.#running;
    this.#running = null;
    if (task) finish(task);
    if (this.#options.idleTime === 0) void this.#endThread(null);
    this.#startNext();
  }

  /** Ends the thread; a task that it was at fails with `failure` once nothing of it runs any more. */
  async #endThread(failure: LaneFailure | null): Promise<void> {
    const worker = this.#worker;
    this.#worker = null;
    clearTimeout(this.#timer);
    const task = failure && this.#running;
    if (task) this.#running = null;
    await worker?.terminate();
    if (task) task.reject(failure);
    if (!this.#closed && !this.#running && this.#queue.length > 0) this.#startNext();
  }
}
