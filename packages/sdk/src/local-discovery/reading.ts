import { setTimeout as wait } from 'node:timers/promises';
import { TaskThread } from '@bindery/concurrency/task-thread';
import { MAX_READ_SECONDS } from '../discovery/file-reader.ts';
import { BinderyError, CurationError, type FileProblem, TreeError } from '../failures.ts';
import type { ReadingAnswer, ReadingTask, ReadingTasks, ReadingThreadData } from './reading-thread.ts';

export interface ReadingOptions {
  /** Ends reading at once. */
  signal?: AbortSignal | undefined;
  /** How long reading one file may take, in milliseconds. */
  maxReadMilliseconds?: number | undefined;
}

type Result<Name extends keyof ReadingTasks> = ReturnType<ReadingTasks[Name]>;

const MAX_PATH_BYTES = 8_192;
const MAX_HEAP_MEGABYTES = 4_096;
/** So many files that take too long are left out, each of which costs a new beginning. */
const MAX_SLOW_FILES = 10;
const TICK_MILLISECONDS = 100;

/**
 * Reads files of strangers on a thread, so that one that is made to take for ever neither holds up everything else nor
 * keeps signals from arriving. The thread is ended at such a file and the task begun anew without it: to whatever reads
 * the file it is unreadable, since it took too long.
 */
export class ReadingThread {
  readonly #options: ReadingOptions;
  readonly #slow = new Set<string>();
  #running: { thread: TaskThread; data: ReadingThreadData } | undefined;

  constructor(options: ReadingOptions = {}) {
    this.#options = options;
  }

  /** Rejects with what the task throws, with the reason of the signal, or with `TreeError` if too many files are slow. */
  async run<Name extends keyof ReadingTasks>(
    name: Name,
    ...args: Parameters<ReadingTasks[Name]>
  ): Promise<Result<Name>> {
    const { signal } = this.#options;
    const aborted = Promise.withResolvers<never>();
    const abort = () => aborted.reject(signal?.reason);
    signal?.throwIfAborted();
    signal?.addEventListener('abort', abort, { once: true });
    try {
      for (;;) {
        const task: ReadingTask = { name, args };
        const done = new AbortController();
        this.#running ??= this.#start();
        const answered = this.#running.thread.run<ReadingAnswer>(task);
        try {
          const answer = await Promise.race([answered, aborted.promise, this.#watch(done.signal)]);
          if (answer !== undefined) return resultOf(answer) as Result<Name>;
        } finally {
          done.abort();
          answered.catch(() => {});
        }
        await this.close();
      }
    } catch (error) {
      if (signal?.aborted) await this.close();
      throw error;
    } finally {
      signal?.removeEventListener('abort', abort);
    }
  }

  async close(): Promise<void> {
    const running = this.#running;
    this.#running = undefined;
    await running?.thread.close();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close();
  }

  #start(): { thread: TaskThread; data: ReadingThreadData } {
    const data = {
      state: new Int32Array(new SharedArrayBuffer(8)),
      path: new Uint8Array(new SharedArrayBuffer(MAX_PATH_BYTES)),
      slow: this.#slow,
    };
    const entry = new URL('./reading-thread.ts', import.meta.url);
    return { thread: new TaskThread({ entry, workerData: data, heapMegabytes: MAX_HEAP_MEGABYTES }), data };
  }

  /** Resolves once a file has been read for too long, of which it makes a note; never after `done`. */
  async #watch(done: AbortSignal): Promise<undefined> {
    const { state, path } = (this.#running as { data: ReadingThreadData }).data;
    const { maxReadMilliseconds = MAX_READ_SECONDS * 1_000 } = this.#options;
    let [number, since] = [-1, 0];
    while (!done.aborted) {
      await wait(TICK_MILLISECONDS, undefined, { signal: done }).catch(() => {});
      const current = Atomics.load(state, 0);
      if (current !== number) [number, since] = [current, performance.now()];
      if (number % 2 === 0 || performance.now() - since < maxReadMilliseconds) continue;
      this.#slow.add(new TextDecoder().decode(path.slice(0, state[1])));
      if (this.#slow.size > MAX_SLOW_FILES) throw tooManySlow(this.#slow);
      return undefined;
    }
    return new Promise(() => {});
  }
}

/** Runs one task on a thread of its own. */
export async function inReadingThread<Name extends keyof ReadingTasks>(
  options: ReadingOptions,
  name: Name,
  ...args: Parameters<ReadingTasks[Name]>
): Promise<Result<Name>> {
  await using thread = new ReadingThread(options);
  return await thread.run(name, ...args);
}

function resultOf(answer: ReadingAnswer): unknown {
  if ('result' in answer) return answer.result;
  const { kind, error } = answer;
  const { code = '', message, details = {} } = error as { code?: string; message: string; details?: object };
  if (kind === 'curation') throw new CurationError((error as { problems: FileProblem[] }).problems);
  if (kind === 'bindery' && code === 'folder')
    throw new TreeError(message, { details: details as Readonly<Record<string, unknown>> });
  if (kind === 'bindery')
    throw new BinderyError(code, message, { details: details as Readonly<Record<string, unknown>> });
  throw Object.assign(new Error(message), error);
}

function tooManySlow(slow: ReadonlySet<string>): TreeError {
  const [first] = slow;
  return new TreeError(
    `More than ${MAX_SLOW_FILES} files take too long to read, such as ${first}; leave them out with "discover: {exclude: [...]}" in bindery.yml.`,
    { details: { files: [...slow] } },
  );
}
