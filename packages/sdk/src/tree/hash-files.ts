import { forEachBounded } from '@bindery/concurrency/for-each';
import { FileChangedError, TreeError } from '../failures.ts';
import { type HashedFile, hashFile } from './hash-file.ts';
import type { HashResult } from './hash-thread.ts';
import { type FileToHash, HashThreads, splitIntoBatches, WORTH_THREADS } from './hash-threads.ts';

const YIELD_EVERY = 50;

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
  const threads = new HashThreads();
  const stop = () => void threads.close();
  signal?.addEventListener('abort', stop, { once: true });
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
    signal?.removeEventListener('abort', stop);
    await threads.close();
  }
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
