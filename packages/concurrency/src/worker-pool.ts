import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { MessagePort, Worker } from 'node:worker_threads';
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
  /**
   * Limit of the processor time that a task takes (milliseconds), which other programs do not shorten. Versions of Node
   * that cannot measure it have `timeout` alone.
   */
  processorTime?: number;
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

type Transferred = ArrayBuffer | MessagePort;

/**
 * Worker threads with limits on time, memory and queue length. A worker that exceeds its time or memory is terminated,
 * and only its own task fails (for memory, see `heapMegabytes`): each answer names its task and arrives over its
 * worker's own channel, which closes with the worker.
 */
export class WorkerPool {
  readonly #options: WorkerPoolOptions;
  readonly #queue: BoundedQueue;
  /** Each has one thread at most, so that it is known which thread runs a task. */
  readonly #all: Piscina[] = [];
  readonly #idle: Piscina[] = [];
  #closed = false;

  constructor(options: WorkerPoolOptions) {
    const { maxWorkers, maxWaiting } = options;
    this.#options = options;
    // Piscina neither limits the queue of tasks that can be aborted nor keeps their order, so it is only given tasks
    // that it can start.
    this.#queue = new BoundedQueue({ concurrency: maxWorkers, maxWaiting });
  }

  /**
   * Runs the task in a worker. `transferList` is what of the task is transferred to it.
   *
   * Throws `WorkerFailure` if a limit was exceeded or the pool is closed, otherwise what the worker threw.
   */
  run<Result>(task: unknown, transferList: readonly Transferred[] = []): Promise<Result> {
    return this.#queue.run(async () => {
      const worker = this.#idle.pop() ?? this.#createWorker();
      try {
        return await this.#runNow<Result>(worker, task, transferList);
      } finally {
        this.#idle.push(worker);
      }
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#queue.close();
    await Promise.all(this.#all.map((worker) => worker.destroy()));
  }

  #createWorker(): Piscina {
    const { entry, idleTimeout, heapMegabytes, youngMegabytes, workerData } = this.#options;
    const worker = new Piscina({
      filename: fileURLToPath(entry),
      minThreads: 0,
      maxThreads: 1,
      idleTimeout,
      execArgv: [],
      workerData,
      recordTiming: false,
      resourceLimits: {
        maxOldGenerationSizeMb: heapMegabytes,
        ...(youngMegabytes && { maxYoungGenerationSizeMb: youngMegabytes }),
      },
    });
    // A thread that fails between two tasks is replaced when the next task starts.
    worker.on('error', () => {});
    this.#all.push(worker);
    return worker;
  }

  async #runNow<Result>(
    worker: Piscina,
    task: unknown,
    transferList: readonly Transferred[],
  ): Promise<Result> {
    const stop = new AbortController();
    let before: Worker[] = [];
    const end = () => {
      before = worker.threads;
      stop.abort();
    };
    const stopWatching = await this.#watch(worker, end);
    try {
      return await worker.run(task, { signal: stop.signal, transferList: [...transferList] });
    } catch (error) {
      if (this.#closed) throw new WorkerFailure('closed', { cause: error });
      if (stop.signal.aborted) {
        await waitForExit(worker, before);
        throw new WorkerFailure('time', { cause: error });
      }
      if (isOutOfMemory(error)) throw new WorkerFailure('memory', { cause: error });
      throw error;
    } finally {
      stopWatching();
    }
  }

  /** Calls `end` when a task that begins takes too much time, unless the returned function was called before. */
  async #watch(worker: Piscina, end: () => void): Promise<() => void> {
    const { timeout, processorTime } = this.#options;
    // Keeps the process alive while an idle thread, which does not, is asked for its processor time.
    const whole = timeout === undefined ? undefined : setTimeout(end, timeout);
    const used = processorTime === undefined ? 0 : await processorTimeOf(worker);
    let next: NodeJS.Timeout | undefined;
    let isOver = false;
    const check = async (most: number) => {
      const left = used + most - (await processorTimeOf(worker));
      if (isOver) return;
      if (left <= 0) end();
      // A thread takes no more processor time than passes.
      else next = setTimeout(check, Math.max(left, 100), most);
    };
    if (processorTime !== undefined) next = setTimeout(check, processorTime, processorTime);
    return () => {
      isOver = true;
      clearTimeout(whole);
      clearTimeout(next);
    };
  }
}

/** Milliseconds of processor time that the thread has taken; 0 without one, or where Node cannot measure it. */
async function processorTimeOf({ threads: [thread] }: Piscina): Promise<number> {
  const usage = await thread?.cpuUsage?.().catch(() => undefined);
  return usage === undefined ? 0 : (usage.user + usage.system) / 1_000;
}

/** Waits until those of the threads that the worker has discarded have exited. */
async function waitForExit(worker: Piscina, threads: readonly Worker[]): Promise<void> {
  const kept = new Set(worker.threads);
  const ended = threads.filter((thread) => !kept.has(thread) && thread.threadId !== -1);
  await Promise.all(ended.map((thread) => once(thread, 'exit')));
}

function isOutOfMemory(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === 'ERR_WORKER_OUT_OF_MEMORY';
}
