import { availableParallelism } from 'node:os';
import { TaskThread } from '@bindery/concurrency/task-thread';
import type { HashRequest, HashResult } from './hash-thread.ts';

const MAX_THREADS = 4;

const THREAD = { entry: new URL('./hash-thread.ts', import.meta.url), heapMegabytes: 128 };

/** A batch has no more of either, unless its last file is larger. */
const BATCH = { files: 200, bytes: 32 * 1024 * 1024 };

/** Below this many bytes threads take more time than they save. */
export const WORTH_THREADS = 64 * 1024 * 1024;

export interface FileToHash {
  /** The path to show in messages. */
  path: string;
  /** The path to read. */
  file: string;
  size: number;
}

/** Files that are passed to a thread together. */
export class HashBatch {
  readonly files: readonly FileToHash[];
  readonly #stopped = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

  constructor(files: readonly FileToHash[]) {
    this.files = files;
  }

  get request(): HashRequest {
    return { files: this.files.map(({ file }) => file), stopped: this.#stopped };
  }

  /** Leaves out the files that the thread has not begun. */
  stop(): void {
    Atomics.store(this.#stopped, 0, 1);
  }
}

export function splitIntoBatches(files: readonly FileToHash[]): HashBatch[] {
  const batches: FileToHash[][] = [];
  let batch: FileToHash[] = [];
  let bytes = 0;
  for (const file of files) {
    batch.push(file);
    bytes += file.size;
    if (batch.length >= BATCH.files || bytes >= BATCH.bytes) {
      batches.push(batch);
      batch = [];
      bytes = 0;
    }
  }
  if (batch.length > 0) batches.push(batch);
  return batches.map((some) => new HashBatch(some));
}

/** Threads that hash files. Each hashes its batches in order. */
export class HashThreads {
  /** How many there are. */
  static readonly count = Math.min(availableParallelism(), MAX_THREADS);
  readonly #threads = Array.from({ length: HashThreads.count }, () => ({
    thread: new TaskThread(THREAD),
    batches: 0,
  }));

  /**
   * Has the thread with the fewest batches hash one more; resolves to the outcome for each file. Rejects if the thread
   * ends before.
   */
  async hash(batch: HashBatch): Promise<HashResult> {
    const chosen = this.#threads.reduce((least, next) => (next.batches < least.batches ? next : least));
    chosen.batches++;
    try {
      return await chosen.thread.run<HashResult>(batch.request);
    } finally {
      chosen.batches--;
    }
  }

  /** Stops the threads, whatever they are doing. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ thread }) => thread.close()));
  }
}
