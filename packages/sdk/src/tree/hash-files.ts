import { availableParallelism } from 'node:os';
import { forEachBounded } from '@bindery/concurrency/for-each';
import { FileChangedError, TreeError } from '../failures.ts';
import { type HashedFile, hashFile } from './hash-file.ts';
import type { HashRequest, HashResult } from './hash-worker.ts';

/** Below this many bytes threads take more time than they save. */
const WORTH_THREADS = 64 * 1024 * 1024;
const MAX_SCANNERS = 4;
/** How much is passed to a thread at a time. */
const SHARE = { files: 200, bytes: 32 * 1024 * 1024 };
const YIELD_EVERY = 50;

const HASHING = {
  entry: new URL('./hash-worker.ts', import.meta.url),
  maxWaiting: 0,
  idleTimeout: 60_000,
  heapMegabytes: 128,
};

export interface FileToHash {
  /** The path to show in messages. */
  path: string;
  /** The path to read. */
  file: string;
  size: number;
}

export interface HashingOptions {
  signal?: AbortSignal | undefined;
  onHashed(file: FileToHash, hashed: HashedFile): void;
}

/** Hashes files, in threads if there is much to read. Throws `TreeError` for a file that changes or is unreadable. */
export async function hashFiles(files: readonly FileToHash[], options: HashingOptions): Promise<void> {
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
  const threads = Math.min(availableParallelism(), MAX_SCANNERS);
  const { WorkerPool } = await import('@bindery/concurrency');
  const pool = new WorkerPool({ ...HASHING, maxWorkers: threads });
  const stop = () => void pool.close();
  signal?.addEventListener('abort', stop, { once: true });
  try {
    await forEachBounded(splitIntoBatches(files), { concurrency: threads, signal }, async (share) => {
      const request: HashRequest = { files: share.map(({ file }) => file) };
      const answer = await pool.run<HashResult>(request);
      for (const [at, file] of share.entries()) onHashed(file, unwrapResult(file, answer[at] ?? null));
    });
  } finally {
    signal?.removeEventListener('abort', stop);
    await pool.close();
  }
}

function splitIntoBatches(files: readonly FileToHash[]): FileToHash[][] {
  const shares: FileToHash[][] = [];
  let share: FileToHash[] = [];
  let bytes = 0;
  for (const file of files) {
    share.push(file);
    bytes += file.size;
    if (share.length >= SHARE.files || bytes >= SHARE.bytes) {
      shares.push(share);
      share = [];
      bytes = 0;
    }
  }
  if (share.length > 0) shares.push(share);
  return shares;
}

function unwrapResult({ path, file }: FileToHash, hashed: HashResult[number]): HashedFile {
  if (hashed === null) throw new FileChangedError(path);
  if ('error' in hashed) {
    const { error, code } = hashed;
    if (code !== undefined) throw Object.assign(new Error(error), { code, syscall: 'read', path: file });
    throw new TreeError(`${path} cannot be read: ${error}`);
  }
  return hashed;
}
