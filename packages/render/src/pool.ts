import { getCompileCacheDir } from 'node:module';
import { ProcessEnded, ProcessPool, WorkerFailure } from '@bindery/concurrency';
import { shown } from './files.ts';
import type { RenderTask } from './pool-messages.ts';
import type { Thumbnail, ThumbnailRequest } from './thumbnail.ts';

export interface ThumbnailPoolOptions {
  /** Processes, each drawing one asset at a time. */
  readonly workers: number;
  /** Longest time for one asset, in milliseconds, reading its files included. */
  readonly timeoutMs: number;
  /** Most memory of one process, in MiB; one that has drawn nothing yet takes about 150. */
  readonly memoryMiB: number;
}

export interface ThumbnailPool extends AsyncDisposable {
  /**
   * As `renderThumbnail`, in a process beside this one; an asset that takes too much time or memory, or crashes what
   * draws it, ends in a warning. Waits for its turn. Throws `RangeError` where too many wait.
   */
  render(request: ThumbnailRequest): Promise<Thumbnail>;
  /** Stops the processes; what is still waiting or being drawn ends in a warning. */
  close(): Promise<void>;
}

/** Assets that may wait at once: more are a mistake of the caller, not work. */
const LONGEST_QUEUE = 100_000;

/** How a process ends where memory runs out: by itself, or by V8. */
const OUT_OF_MEMORY: ReadonlySet<NodeJS.Signals | null> = new Set<NodeJS.Signals>([
  'SIGKILL',
  'SIGABRT',
  'SIGTRAP',
]);

export function createThumbnailPool({ workers, timeoutMs, memoryMiB }: ThumbnailPoolOptions): ThumbnailPool {
  const pool = new ProcessPool({
    entry: new URL('./pool-process.ts', import.meta.url),
    execArgv: [`--max-old-space-size=${memoryMiB}`],
    env: { ...process.env, ...compileCache(), BINDERY_RENDER_MEMORY: String(memoryMiB * 2 ** 20) },
    maxProcesses: workers,
    maxWaiting: LONGEST_QUEUE,
    timeout: timeoutMs,
  });

  function warningOf(error: unknown): string {
    if (error instanceof ProcessEnded) {
      if (OUT_OF_MEMORY.has(error.signal)) return `took more than ${memoryMiB} MiB of memory`;
      return error.cause
        ? 'the process that drew it could not be reached'
        : 'crashed the process that drew it';
    }
    if (!(error instanceof WorkerFailure)) throw error;
    if (error.reason === 'full') throw new RangeError('too many thumbnails asked for at once');
    return error.reason === 'time' ? `took longer than ${timeoutMs} ms` : 'the thumbnail pool is closed';
  }

  async function render({ kind, format, entry, files, limits }: ThumbnailRequest): Promise<Thumbnail> {
    const value: RenderTask = { kind, format, entry, sizes: files.sizes, limits };
    const answer = async (path: string) => new Uint8Array(await readable(() => files.read(path)));
    return pool
      .run<Thumbnail>({ value, answer })
      .catch((error) => ({ warning: warningOf(error), transient: true }));
  }

  return { render, close: () => pool.close(), [Symbol.asyncDispose]: () => pool.close() };
}

/** What a file says that cannot be read is shown to people. */
async function readable(read: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await read();
  } catch (error) {
    throw new Error(shown(error instanceof Error ? error.message : String(error)));
  }
}

/** Has a process compile no code that an earlier one did, where this program keeps compiled code. */
function compileCache(): { NODE_COMPILE_CACHE?: string } {
  const folder = getCompileCacheDir();
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
