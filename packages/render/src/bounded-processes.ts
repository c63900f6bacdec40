import { getCompileCacheDir } from 'node:module';
import { ProcessEnded, ProcessPool, WorkerFailure } from '@bindery/concurrency';

/** What work on assets in processes may take. */
export interface ProcessBounds {
  /** Processes, each at one asset at a time. */
  readonly workers: number;
  /** Longest time for one asset, in milliseconds, reading its files included. */
  readonly timeoutMs: number;
  /** Most memory of one process, in MiB; one that has done nothing yet takes about 150. */
  readonly memoryMiB: number;
}

/** Assets that may wait at once: more are a mistake of the caller, not work. */
const LONGEST_QUEUE = 100_000;

/** How a process ends where memory runs out: by itself, or by V8. */
const OUT_OF_MEMORY: ReadonlySet<NodeJS.Signals | null> = new Set<NodeJS.Signals>([
  'SIGKILL',
  'SIGABRT',
  'SIGTRAP',
]);

/** Processes for work on assets that nobody vouches for, and words for how it fails. */
export class BoundedProcesses {
  readonly #pool: ProcessPool;
  readonly #bounds: ProcessBounds;
  readonly #work: 'drew' | 'checked';

  /** `entry` is the module that the processes run; it calls `endWithoutMemoryOrParent`. */
  constructor(entry: URL, bounds: ProcessBounds, work: 'drew' | 'checked') {
    const { workers, timeoutMs, memoryMiB } = bounds;
    this.#bounds = bounds;
    this.#work = work;
    this.#pool = new ProcessPool({
      entry,
      execArgv: [`--max-old-space-size=${memoryMiB}`],
      env: { ...process.env, ...compileCache(), BINDERY_RENDER_MEMORY: String(memoryMiB * 2 ** 20) },
      maxProcesses: workers,
      maxWaiting: LONGEST_QUEUE,
      timeout: timeoutMs,
    });
  }

  run<Result>(task: Parameters<ProcessPool['run']>[0]): Promise<Result> {
    return this.#pool.run<Result>(task);
  }

  /** Why a task has no answer, as the end of a sentence about its asset; throws what is no failure of the processes. */
  failureOf(error: unknown): string {
    const { timeoutMs, memoryMiB } = this.#bounds;
    if (error instanceof ProcessEnded) {
      if (OUT_OF_MEMORY.has(error.signal)) return `took more than ${memoryMiB} MiB of memory`;
      return error.cause
        ? `the process that ${this.#work} it could not be reached`
        : `crashed the process that ${this.#work} it`;
    }
    if (!(error instanceof WorkerFailure)) throw error;
    if (error.reason === 'full') throw new RangeError('too many assets at once');
    return error.reason === 'time' ? `took longer than ${timeoutMs} ms` : 'the pool of processes is closed';
  }

  close(): Promise<void> {
    return this.#pool.close();
  }
}

/** Has a process compile no code that an earlier one did, where this program keeps compiled code. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
