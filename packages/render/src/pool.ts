import { Worker } from 'node:worker_threads';
import { shown } from './files.ts';
import type { Thumbnail, ThumbnailRequest } from './thumbnail.ts';
import type { FromWorker, ToWorker } from './worker-messages.ts';

export interface ThumbnailPoolOptions {
  /** Threads, each drawing one asset at a time. */
  readonly workers: number;
  /** Longest time for one asset, in milliseconds, reading its files included. */
  readonly timeoutMs: number;
  /** Most memory of one thread, in MiB. */
  readonly memoryMiB: number;
}

export interface ThumbnailPool extends AsyncDisposable {
  /** As `renderThumbnail`, in a thread; an asset that takes too much time or memory ends in a warning. Waits for its turn. */
  render(request: ThumbnailRequest): Promise<Thumbnail>;
  /** Stops the threads; what is still waiting or being drawn ends in a warning. */
  close(): Promise<void>;
}

/** Assets that may wait at once: more are a mistake of the caller, not work. */
const LONGEST_QUEUE = 100_000;
const MEMORY_CHECK_MS = 100;

export function createThumbnailPool(options: ThumbnailPoolOptions): ThumbnailPool {
  return new Pool(options);
}

interface Job {
  readonly request: ThumbnailRequest;
  finish(thumbnail: Thumbnail): void;
}

class Pool implements ThumbnailPool {
  readonly #options: ThumbnailPoolOptions;
  readonly #queue: Job[] = [];
  readonly #idle: Thread[] = [];
  readonly #all = new Set<Thread>();
  #closed = false;

  constructor(options: ThumbnailPoolOptions) {
    this.#options = options;
  }

  render(request: ThumbnailRequest): Promise<Thumbnail> {
    if (this.#closed) return Promise.resolve({ warning: 'the thumbnail pool is closed' });
    if (this.#queue.length >= LONGEST_QUEUE) throw new RangeError('too many thumbnails asked for at once');
    return new Promise((resolve) => {
      this.#queue.push({ request, finish: resolve });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.finish({ warning: 'the thumbnail pool is closed' });
    await Promise.all([...this.#all].map((thread) => thread.stop('the thumbnail pool is closed')));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const thread = this.#idle.pop() ?? this.#start();
      const job = thread && this.#queue.shift();
      if (thread === undefined || job === undefined) return;
      void thread.run(job).then(() => {
        if (thread.isAlive) this.#idle.push(thread);
        else this.#all.delete(thread);
        this.#next();
      });
    }
  }

  #start(): Thread | undefined {
    if (this.#all.size >= this.#options.workers) return undefined;
    const thread = new Thread(this.#options);
    this.#all.add(thread);
    return thread;
  }
}

/** One worker thread and the asset it draws. After a failure it is not used again. */
class Thread {
  isAlive = true;
  readonly #worker: Worker;
  readonly #options: ThumbnailPoolOptions;
  #job: Job | undefined;

  constructor(options: ThumbnailPoolOptions) {
    this.#options = options;
    this.#worker = new Worker(new URL('./worker.ts', import.meta.url), {
      resourceLimits: { maxOldGenerationSizeMb: options.memoryMiB },
    });
    this.#worker.unref();
    this.#worker.on('message', (message: FromWorker) => this.#hear(message));
    this.#worker.on('error', (error) => void this.stop(failureOf(error)));
    this.#worker.on('exit', () => void this.stop('the thread that drew it stopped'));
  }

  async run(job: Job): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<Thumbnail>();
    this.#job = { ...job, finish: resolve };
    this.#worker.ref();
    const timeout = setTimeout(
      () => void this.stop(`took longer than ${this.#options.timeoutMs} ms`),
      this.#options.timeoutMs,
    );
    const watch = setInterval(() => void this.#checkMemory(), MEMORY_CHECK_MS);
    const { kind, format, entry, files, limits } = job.request;
    this.#tell({ type: 'render', kind, format, entry, sizes: files.sizes, limits });
    const thumbnail = await promise;
    clearTimeout(timeout);
    clearInterval(watch);
    this.#job = undefined;
    this.#worker.unref();
    job.finish(thumbnail);
  }

  /** Ends the thread; the asset it draws gets the warning. */
  async stop(warning: string): Promise<void> {
    if (!this.isAlive) return;
    this.isAlive = false;
    this.#job?.finish({ warning });
    await this.#worker.terminate();
  }

  #hear(message: FromWorker): void {
    if (message.type === 'done') this.#job?.finish(message.thumbnail);
    else void this.#read(message.path);
  }

  async #read(path: string): Promise<void> {
    const files = this.#job?.request.files;
    if (files === undefined) return;
    try {
      const bytes = new Uint8Array(await files.read(path));
      this.#tell({ type: 'bytes', path, bytes }, bytes.buffer);
    } catch (error) {
      const message = shown(error instanceof Error ? error.message : String(error));
      this.#tell({ type: 'unreadable', path, message });
    }
  }

  /** The heap's own limit does not see the memory of buffers and WebAssembly, so that is asked for. */
  async #checkMemory(): Promise<void> {
    const job = this.#job;
    const statistics = await this.#worker.getHeapStatistics().catch(() => undefined);
    if (statistics === undefined || job !== this.#job) return;
    const used = statistics.used_heap_size + statistics.external_memory;
    if (used > this.#options.memoryMiB * 2 ** 20) await this.stop(outOfMemory(this.#options.memoryMiB));
  }

  #tell(message: ToWorker, ...transfer: ArrayBuffer[]): void {
    if (this.isAlive) this.#worker.postMessage(message, transfer);
  }
}

function failureOf(error: unknown): string {
  const isMemory = error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY';
  return isMemory ? 'took too much memory' : 'the thread that drew it failed';
}

function outOfMemory(memoryMiB: number): string {
  return `took more than ${memoryMiB} MiB of memory`;
}
