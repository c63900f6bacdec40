import { type Job, RenderProcess, type RenderProcessLimits } from './render-process.ts';
import type { Thumbnail, ThumbnailRequest } from './thumbnail.ts';

export interface ThumbnailPoolOptions extends RenderProcessLimits {
  /** Processes, each drawing one asset at a time. */
  readonly workers: number;
}

export interface ThumbnailPool extends AsyncDisposable {
  /**
   * As `renderThumbnail`, in a process beside this one; an asset that takes too much time or memory, or crashes what
   * draws it, ends in a warning. Waits for its turn.
   */
  render(request: ThumbnailRequest): Promise<Thumbnail>;
  /** Stops the processes; what is still waiting or being drawn ends in a warning. */
  close(): Promise<void>;
}

/** Assets that may wait at once: more are a mistake of the caller, not work. */
const LONGEST_QUEUE = 100_000;
const CLOSED = { warning: 'the thumbnail pool is closed', transient: true } as const;

export function createThumbnailPool(options: ThumbnailPoolOptions): ThumbnailPool {
  return new Pool(options);
}

class Pool implements ThumbnailPool {
  readonly #options: ThumbnailPoolOptions;
  readonly #queue: Job[] = [];
  readonly #idle: RenderProcess[] = [];
  readonly #all = new Set<RenderProcess>();
  #closed = false;

  constructor(options: ThumbnailPoolOptions) {
    this.#options = options;
  }

  render(request: ThumbnailRequest): Promise<Thumbnail> {
    if (this.#closed) return Promise.resolve(CLOSED);
    if (this.#queue.length >= LONGEST_QUEUE) throw new RangeError('too many thumbnails asked for at once');
    return new Promise((resolve) => {
      this.#queue.push({ request, finish: resolve });
      this.#next();
    });
  }

  async close(): Promise<void> {
    this.#closed = true;
    for (const job of this.#queue.splice(0)) job.finish(CLOSED);
    await Promise.all([...this.#all].map((worker) => worker.stop(CLOSED.warning)));
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #next(): void {
    while (this.#queue.length > 0) {
      const worker = this.#rested() ?? this.#start();
      const job = worker && this.#queue.shift();
      if (worker === undefined || job === undefined) return;
      void worker.run(job).then(() => {
        if (worker.isAlive) this.#idle.push(worker);
        else this.#all.delete(worker);
        this.#next();
      });
    }
  }

  /** An idle process, leaving out those that have died meanwhile. */
  #rested(): RenderProcess | undefined {
    for (let worker = this.#idle.pop(); worker !== undefined; worker = this.#idle.pop()) {
      if (worker.isAlive) return worker;
      this.#all.delete(worker);
    }
    return undefined;
  }

  #start(): RenderProcess | undefined {
    if (this.#all.size >= this.#options.workers) return undefined;
    const worker = new RenderProcess(this.#options);
    this.#all.add(worker);
    return worker;
  }
}
