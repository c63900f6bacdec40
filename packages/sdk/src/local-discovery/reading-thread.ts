import { workerData } from 'node:worker_threads';
import { serveThreadTasks } from '@bindery/concurrency/thread-tasks';
import { UnreadableFileError } from '@bindery/formats';
import { SLOW_WORDS } from '../discovery/file-reader.ts';
import { BinderyError, CurationError } from '../failures.ts';
import { discoverAsset } from './discover-asset.ts';
import { discoverScanned, marksOf } from './discover-library.ts';
import { writeRobots } from './expand-robots.ts';
import { watchReading } from './facts-cache.ts';
import { checkFiles } from './file-problems.ts';
import { locateModel } from './local-model.ts';

/** What is done with files of strangers. Arguments and results are copied between threads. */
const TASKS = { discoverScanned, marksOf, discoverAsset, checkFiles, locateModel, writeRobots };
export type ReadingTasks = typeof TASKS;

/** What a thread shares with whoever watches it: a number that is odd while a file is read, and the path of that file. */
export interface Watch {
  /** The number, and the length of the path. */
  readonly state: Int32Array<SharedArrayBuffer>;
  /** In UTF-8, as much as there is room for. */
  readonly path: Uint8Array<SharedArrayBuffer>;
}

export interface ReadingThreadData extends Watch {
  /** Files that took too long before, and are not read again. */
  readonly slow: ReadonlySet<string>;
}

export interface ReadingTask {
  readonly name: keyof ReadingTasks;
  readonly args: readonly unknown[];
}

/** What a task returned or threw: errors of this package keep what they are about, and become such again. */
export type ReadingAnswer =
  | { readonly result: unknown }
  | { readonly kind: 'bindery' | 'curation' | 'other'; readonly error: object };

const { state, path: shared, slow } = workerData as ReadingThreadData;
const encoder = new TextEncoder();

watchReading((path, read) => {
  if (slow.has(path)) throw new UnreadableFileError(SLOW_WORDS);
  const text = encoder.encode(path).subarray(0, shared.byteLength);
  shared.set(text);
  state[1] = text.byteLength;
  Atomics.add(state, 0, 1);
  try {
    return read();
  } finally {
    Atomics.add(state, 0, 1);
  }
});

serveThreadTasks(({ name, args }: ReadingTask): ReadingAnswer => {
  try {
    return { result: (TASKS[name] as (...given: readonly unknown[]) => unknown)(...args) };
  } catch (error) {
    const kind =
      error instanceof CurationError ? 'curation' : error instanceof BinderyError ? 'bindery' : 'other';
    const { message, stack } = error as Error;
    return { kind, error: { ...(error as Error), message, stack } };
  }
});
