import { once } from 'node:events';
import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { TreeError } from '../failures.ts';
import { type HashedFile, hashFile } from './hash-file.ts';
import type { HashAnswer, HashRequest } from './hash-worker.ts';

/** Below this many bytes threads cost more than they bring. */
const WORTH_THREADS = 64 * 1024 * 1024;
const MOST_THREADS = 4;
/** How much is given to a thread at a time. */
const SHARE = { files: 200, bytes: 32 * 1024 * 1024 };
const AT_ONCE = 50;

export interface FileToHash {
  /** As shown to people. */
  path: string;
  /** Where it lies. */
  file: string;
  size: number;
}

export interface HashingOptions {
  signal?: AbortSignal | undefined;
  onHashed(file: FileToHash, hashed: HashedFile): void;
}

/** Hashes files, with threads where there is much to read. Throws `TreeError` for a file that changes meanwhile. */
export async function hashFiles(files: readonly FileToHash[], options: HashingOptions): Promise<void> {
  const bytes = files.reduce((sum, { size }) => sum + size, 0);
  if (bytes < WORTH_THREADS) await hashHere(files, options);
  else await hashInThreads(files, options);
}

async function hashHere(files: readonly FileToHash[], { signal, onHashed }: HashingOptions): Promise<void> {
  const pause = () => signal?.throwIfAborted();
  for (const [at, file] of files.entries()) {
    pause();
    onHashed(file, settled(file, hashFile(file.file, 'r', pause)));
    // Lets timers, signals and progress run.
    if (at % AT_ONCE === AT_ONCE - 1) await new Promise(setImmediate);
  }
}

async function hashInThreads(files: readonly FileToHash[], options: HashingOptions): Promise<void> {
  const shares = divide(files);
  const count = Math.min(availableParallelism(), MOST_THREADS, shares.length);
  const workers = Array.from(
    { length: count },
    () => new Worker(new URL('./hash-worker.ts', import.meta.url)),
  );
  try {
    await Promise.all(workers.map((worker) => serve(worker, shares, options)));
  } finally {
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

async function serve(
  worker: Worker,
  shares: FileToHash[][],
  { signal, onHashed }: HashingOptions,
): Promise<void> {
  for (let share = shares.pop(); share !== undefined; share = shares.pop()) {
    const request: HashRequest = { files: share.map(({ file }) => file) };
    worker.postMessage(request);
    const [answer] = (await once(worker, 'message', signal ? { signal } : {})) as [HashAnswer];
    for (const [at, file] of share.entries()) onHashed(file, settled(file, answer[at] ?? null));
  }
}

function divide(files: readonly FileToHash[]): FileToHash[][] {
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

function settled({ path }: FileToHash, hashed: HashAnswer[number]): HashedFile {
  if (hashed === null)
    throw new TreeError(`${path} changed while it was read; try again when nothing writes it`);
  if ('error' in hashed) throw new TreeError(`${path} cannot be read: ${hashed.error}`);
  return hashed;
}
