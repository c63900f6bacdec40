import { getCompileCacheDir } from 'node:module';
import { ProcessExitedError, ProcessPool, WorkerFailure } from '@bindery/concurrency';

/** Limits for the processes that work on assets. */
export interface ProcessLimits {
  /** Number of processes, each working on one asset at a time. */
  readonly workers: number;
  /** Time limit for one asset in milliseconds, including reading its files. */
  readonly timeoutMs: number;
  /** Memory limit of one process in MiB; a process that has not done anything yet takes about 150. */
  readonly memoryMiB: number;
}

/** Maximum number of waiting assets; more than this is a bug in the caller. */
const LONGEST_QUEUE = 100_000;

/** The signals that end a process that runs out of memory: its own, or those of V8. */
const OUT_OF_MEMORY: ReadonlySet<NodeJS.Signals | null> = new Set<NodeJS.Signals>([
  'SIGKILL',
  'SIGABRT',
  'SIGTRAP',
]);

/** Processes for work on untrusted assets, and messages for its failures. */
export class AssetProcessPool {
  readonly #pool: ProcessPool;
  readonly #limits: ProcessLimits;
  readonly #work: 'drew' | 'checked';

  /** `entry` is the module that the processes run; it must call `killOnMemoryLimitOrOrphaned`. */
  constructor(entry: URL, bounds: ProcessLimits, work: 'drew' | 'checked') {
    const { workers, timeoutMs, memoryMiB } = bounds;
    this.#limits = bounds;
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

  /**
   * Returns why a task has no result, as the end of a sentence about its asset. Rethrows errors that are not failures
   * of the processes; throws `RangeError` if too many tasks are waiting.
   */
  failureOf(error: unknown): string {
    const { timeoutMs, memoryMiB } = this.#limits;
    if (error instanceof ProcessExitedError) {
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

/** Shares this program's compile cache, if it has one, so that a process does not recompile what an earlier one did. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
