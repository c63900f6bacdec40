import { addAbortListener } from 'node:events';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { forEachBounded } from '@bindery/concurrency/for-each';
import { TaskThread } from '@bindery/concurrency/task-thread';
import { FileChangedError, TreeError } from '../failures.ts';
import { nowNs, sameIdentity } from './file-identity.ts';
import type { HashCache } from './hash-cache.ts';
import { type HashedFile, hashFile } from './hash-file.ts';
import type { HashRequest, HashResult } from './hash-thread.ts';
import { fileTotal, type ProgressListener, withProgress } from './progress.ts';
import type { ScannedFile } from './scan.ts';

export interface LocalHashesOptions {
  /** Read every file, whatever the cache says. */
  verify?: boolean | undefined;
  signal?: AbortSignal | undefined;
  progress?: ProgressListener | undefined;
}

/**
 * Returns the SHA-256 of the given files of a folder by path, from the cache if a file has not changed. Few files are
 * read instead of the cache of a large folder.
 */
export async function localHashes(
  root: string,
  files: readonly ScannedFile[],
  cache: HashCache,
  options: LocalHashesOptions = {},
): Promise<Map<string, string>> {
  const hashes = new Map<string, string>();
  if (!cache.isWorthReading(files.length, fileTotal(files).bytes)) {
    await hashUnknown(root, files, null, hashes, options);
    return hashes;
  }
  const unknown: ScannedFile[] = [];
  for (const file of files) {
    const known = options.verify ? null : cache.get(file.path, file);
    if (known === null) unknown.push(file);
    else hashes.set(file.path, known);
  }
  try {
    await hashUnknown(root, unknown, cache, hashes, options);
  } finally {
    cache.save();
  }
  return hashes;
}

async function hashUnknown(
  root: string,
  files: readonly ScannedFile[],
  cache: HashCache | null,
  hashes: Map<string, string>,
  { signal, progress }: LocalHashesOptions,
): Promise<void> {
  if (files.length === 0) return;
  const readAt = nowNs();
  const scanned = new Map(files.map((file) => [file.path, file]));
  const toHash = files.map(({ path, size }) => ({ path, size, file: join(root, path) }));
  await withProgress(progress, 'Hashing', fileTotal(files), (work) =>
    hashFiles(toHash, {
      signal,
      onHashed({ path, size }, hashed) {
        const seen = scanned.get(path);
        if (seen === undefined || !sameIdentity(seen, hashed)) throw new FileChangedError(path);
        cache?.record(path, hashed, hashed.sha256, readAt);
        hashes.set(path, hashed.sha256);
        work.advance({ bytes: size, items: 1 });
      },
    }),
  );
}

const YIELD_EVERY = 50;

export interface HashingOptions {
  signal?: AbortSignal | undefined;
  onHashed(file: FileToHash, hashed: HashedFile): void;
}

/** Hashes files, in threads if there is much to read. Throws `TreeError` for a file that changes or is unreadable. */
async function hashFiles(files: readonly FileToHash[], options: HashingOptions): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes < WORTH_THREADS) await hashOnThisThread(files, options);
  else await hashInThreads(files, options);
}

async function hashOnThisThread(
  files: readonly FileToHash[],
  { signal, onHashed }: HashingOptions,
): Promise<void> {
  const pause = () => signal?.throwIfAborted();
  for (const [at, file] of files.entries()) {
    pause();
    onHashed(file, unwrapResult(file, hashFile(file.file, 'r', pause)));
    // Lets timers, signals and progress run.
    if (at % YIELD_EVERY === YIELD_EVERY - 1) await new Promise(setImmediate);
  }
}

async function hashInThreads(
  files: readonly FileToHash[],
  { signal, onHashed }: HashingOptions,
): Promise<void> {
  const threads = new HashThreads();
  using _ = signal && addAbortListener(signal, () => void threads.close());
  try {
    await forEachBounded(
      splitIntoBatches(files),
      { concurrency: HashThreads.count, signal },
      async (batch) => {
        const results = await threads.hash(batch);
        for (const [at, file] of batch.files.entries())
          onHashed(file, unwrapResult(file, results[at] ?? null));
      },
    );
  } finally {
    await threads.close();
  }
}

function unwrapResult({ path, file }: FileToHash, hashed: HashResult[number]): HashedFile {
  if (hashed === null) throw new FileChangedError(path);
  if ('error' in hashed) {
    const { error, code } = hashed;
    if (code !== undefined) throw Object.assign(new Error(error), { code, syscall: 'read', path: file });
    throw new TreeError(`${path} cannot be read: ${error}.`);
  }
  return hashed;
}

const MAX_THREADS = 4;

const THREAD = { entry: new URL('./hash-thread.ts', import.meta.url), heapMegabytes: 128 };

/** A batch has no more of either, unless its last file is larger. */
const BATCH = { files: 200, bytes: 32 * 1024 * 1024 };

/** Below this many bytes threads take more time than they save. */
const WORTH_THREADS = 64 * 1024 * 1024;

export interface FileToHash {
  /** The path to show in messages. */
  path: string;
  /** The path to read. */
  file: string;
  size: number;
}

/** Files that are passed to a thread together. */
class HashBatch {
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

function splitIntoBatches(files: readonly FileToHash[]): HashBatch[] {
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
class HashThreads {
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

/** Larger files are not hashed early: a thread that has begun one finishes it, and it might not be needed. */
const MAX_FILE_BYTES = 32 * 1024 * 1024;

/** Bounds the memory for what the threads have not begun. */
const MAX_FILES = 100_000;

/**
 * Hashes files of a folder in threads while the calling thread, which need not return to its event loop, finds out which
 * of them it needs.
 */
export class EarlyHashes {
  readonly #startedAt = nowNs();
  readonly #threads = new HashThreads();
  readonly #hashing: readonly { batch: HashBatch; results: Promise<HashResult> }[];

  private constructor(batches: readonly HashBatch[]) {
    this.#hashing = batches.map((batch) => ({
      batch,
      // What the threads do not hash is hashed by whoever needs it.
      results: this.#threads.hash(batch).catch(() => []),
    }));
  }

  /** Starts hashing what the cache does not know; returns null if that is too little to be worth it. */
  static start(root: string, files: readonly ScannedFile[], cache: HashCache): EarlyHashes | null {
    const unknown = files
      .filter((file) => file.size <= MAX_FILE_BYTES && cache.get(file.path, file) === null)
      .slice(0, MAX_FILES);
    const bytes = unknown.reduce((sum, { size }) => sum + size, 0);
    if (bytes < WORTH_THREADS) return null;
    const toHash = unknown.map(({ path, size }) => ({ path, size, file: join(root, path) }));
    return new EarlyHashes(splitIntoBatches(toHash));
  }

  /** Stops hashing, and records what was hashed in the cache. */
  async finish(cache: HashCache): Promise<void> {
    for (const { batch } of this.#hashing) batch.stop();
    try {
      for (const { batch, results } of this.#hashing) {
        for (const [at, hashed] of (await results).entries()) {
          const { path } = batch.files[at] ?? {};
          if (path !== undefined && hashed !== null && !('error' in hashed))
            cache.record(path, hashed, hashed.sha256, this.#startedAt);
        }
      }
    } finally {
      await this.#threads.close();
    }
  }
}
