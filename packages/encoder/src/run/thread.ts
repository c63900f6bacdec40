import { Worker } from 'node:worker_threads';
import { EncoderBusy, EncoderError } from '../errors.ts';
import type { EncoderTask, FromWorker, WorkerSettings } from './messages.ts';

export interface ThreadLimits {
  /** Milliseconds for one task once the model is loaded. */
  timeLimit: number;
  /** Milliseconds for loading the model. */
  loadTimeLimit: number;
  /** How many tasks may wait. */
  queueLength: number;
}

/** What the thread's heap may grow to. A vocabulary of 256,000 tokens takes about half; the model lies outside. */
const HEAP_MIB = 1_024;

/** How long a thread that was told to end may take before nothing more is expected of it (milliseconds). */
const END_GRACE = 2_000;

interface Waiting {
  task: EncoderTask;
  resolve(rows: Float32Array): void;
  reject(error: EncoderError): void;
}

/**
 * A worker thread that runs a model, one task after another. A task that takes too long fails at once, its thread is
 * ended and the next task starts a new one. Native code cannot be interrupted: until it returns, tasks fail.
 */
export class EncoderThread {
  readonly #entry = new URL('./worker.ts', import.meta.url);
  readonly #settings: WorkerSettings;
  readonly #limits: ThreadLimits;
  readonly #queue: Waiting[] = [];
  #worker: Worker | null = null;
  #running: Waiting | null = null;
  #timer: NodeJS.Timeout | undefined;
  #state: 'open' | 'ending' | 'stuck' | 'closed' = 'open';

  constructor(settings: WorkerSettings, limits: ThreadLimits) {
    this.#settings = settings;
    this.#limits = limits;
  }

  run(task: EncoderTask, signal?: AbortSignal): Promise<Float32Array> {
    if (this.#state === 'closed') return Promise.reject(closed());
    if (this.#state === 'stuck') return Promise.reject(stuck());
    if (signal?.aborted) return Promise.reject(givenUp());
    if (this.#queue.length >= this.#limits.queueLength) return Promise.reject(new EncoderBusy());
    const { promise, resolve, reject } = Promise.withResolvers<Float32Array>();
    const waiting: Waiting = { task, resolve, reject };
    const giveUp = () => {
      const place = this.#queue.indexOf(waiting);
      if (place >= 0) this.#queue.splice(place, 1);
      reject(givenUp());
    };
    signal?.addEventListener('abort', giveUp, { once: true });
    this.#queue.push(waiting);
    this.#next();
    return promise.finally(() => signal?.removeEventListener('abort', giveUp));
  }

  async close(): Promise<void> {
    this.#state = 'closed';
    this.#failWaiting(closed());
    await this.#end(closed());
  }

  #next(): void {
    if (this.#state !== 'open' || this.#running) return;
    const waiting = this.#queue.shift();
    if (waiting === undefined) {
      this.#worker?.unref();
      return;
    }
    this.#running = waiting;
    this.#worker ??= this.#start();
    this.#worker.ref();
    this.#watch(this.#limits.loadTimeLimit, 'The model takes too long to load');
    this.#worker.postMessage(waiting.task);
  }

  #start(): Worker {
    const worker = new Worker(this.#entry, {
      execArgv: [],
      workerData: this.#settings,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MIB },
    });
    worker.on('message', (message: FromWorker) => {
      if (this.#worker === worker) this.#hear(message);
    });
    worker.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#worker !== worker) return;
      this.#worker = null;
      this.#settle((waiting) => waiting.reject(failureOf(error)));
    });
    return worker;
  }

  #hear(message: FromWorker): void {
    if (message.type === 'running') {
      this.#watch(this.#limits.timeLimit, 'The model takes too long');
    } else if (message.type === 'done') {
      this.#settle((waiting) => waiting.resolve(message.rows));
    } else {
      const { failure, message: text, index } = message;
      this.#settle((waiting) =>
        waiting.reject(new EncoderError(failure, text, index === null ? {} : { index })),
      );
    }
  }

  #watch(limit: number, what: string): void {
    clearTimeout(this.#timer);
    const failure = () => new EncoderError('time', `${what}: more than ${limit} ms.`);
    this.#timer = setTimeout(() => void this.#restart(failure()), limit);
  }

  #settle(finish: (waiting: Waiting) => void): void {
    clearTimeout(this.#timer);
    const waiting = this.#running;
    this.#running = null;
    if (waiting) finish(waiting);
    this.#next();
  }

  async #restart(failure: EncoderError): Promise<void> {
    this.#state = 'ending';
    const grace = setTimeout(() => {
      if (this.#state !== 'ending') return;
      this.#state = 'stuck';
      this.#failWaiting(stuck());
    }, END_GRACE).unref();
    await this.#end(failure);
    clearTimeout(grace);
    if (this.#isClosed()) return;
    this.#state = 'open';
    this.#next();
  }

  async #end(failure: EncoderError): Promise<void> {
    clearTimeout(this.#timer);
    const [worker, running] = [this.#worker, this.#running];
    this.#worker = null;
    this.#running = null;
    running?.reject(failure);
    await worker?.terminate();
  }

  #failWaiting(error: EncoderError): void {
    for (const waiting of this.#queue.splice(0)) waiting.reject(error);
  }

  #isClosed(): boolean {
    return this.#state === 'closed';
  }
}

function failureOf(error: NodeJS.ErrnoException): EncoderError {
  return error.code === 'ERR_WORKER_OUT_OF_MEMORY'
    ? new EncoderError('memory', `The model takes more than ${HEAP_MIB} MiB of heap.`)
    : new EncoderError('failed', `The encoder's thread ended: ${error.message}`, { cause: error });
}

function closed(): EncoderError {
  return new EncoderError('closed', 'The encoder is closed.');
}

function givenUp(): EncoderError {
  return new EncoderError('closed', 'The caller gave the encoding up.');
}

function stuck(): EncoderError {
  return new EncoderError('time', 'The encoder hangs and cannot be ended.');
}
