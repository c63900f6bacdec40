import { join } from 'node:path';
import { nowNs } from './file-identity.ts';
import type { HashCache } from './hash-cache.ts';
import type { HashResult } from './hash-thread.ts';
import { type HashBatch, HashThreads, splitIntoBatches, WORTH_THREADS } from './hash-threads.ts';
import type { ScannedFile } from './scan.ts';

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
