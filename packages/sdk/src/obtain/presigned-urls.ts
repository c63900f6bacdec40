import { LIMITS } from '@bindery/contract/wire';
import type { Client } from '../client/client.ts';
import { ApiError } from '../client/errors.ts';
import type { NumberedAddress } from '../library/library-address.ts';
import { presign, RevisionSupersededError } from '../library/read-library.ts';
import type { TargetFile } from '../place/written-files.ts';

/** How many batches are requested before they are needed. */
const PREFETCH_BATCHES = 16;
const CONCURRENCY = 2;
/** The share of their lifetime for which URLs are used. */
const USED_SHARE = 0.9;

interface Batch {
  urls: Promise<ReadonlyMap<string, string>>;
  /** Milliseconds since 1970. */
  expiresAt: number;
}

/**
 * Presigned URLs of the files of one revision, requested in batches ahead of their use and renewed before they expire.
 * Throws `RevisionSupersededError` if the service no longer has the file of that revision.
 */
export class PresignedUrls {
  readonly #client: Client;
  readonly #address: NumberedAddress;
  readonly #batches: TargetFile[][] = [];
  readonly #batchOf = new Map<string, number>();
  readonly #requested = new Map<number, Batch>();
  readonly #signal: AbortSignal | undefined;
  #queues: Promise<unknown>[] = Array.from({ length: CONCURRENCY }, () => Promise.resolve());

  constructor(client: Client, address: NumberedAddress, files: readonly TargetFile[], signal?: AbortSignal) {
    this.#client = client;
    this.#address = address;
    this.#signal = signal;
    const remote = [...new Map(files.map((file) => [file.remotePath, file])).values()];
    for (let at = 0; at < remote.length; at += LIMITS.presignPaths) {
      this.#batches.push(remote.slice(at, at + LIMITS.presignPaths));
    }
    for (const [at, batch] of this.#batches.entries()) {
      for (const { remotePath } of batch) this.#batchOf.set(remotePath, at);
    }
  }

  /** Requests batches in advance and waits for the first. */
  async prefetch(): Promise<void> {
    const [first] = this.#batches.slice(0, PREFETCH_BATCHES).map((_, at) => this.#batch(at).urls);
    await first;
  }

  async getUrl({ remotePath }: TargetFile): Promise<string> {
    const at = this.#batchOf.get(remotePath) ?? 0;
    for (let ahead = at + 1; ahead < Math.min(at + PREFETCH_BATCHES, this.#batches.length); ahead++)
      this.#batch(ahead);
    const url = (await this.#batch(at).urls).get(remotePath);
    if (url === undefined) throw new RevisionSupersededError();
    return url;
  }

  /** Forgets a URL that the store refused; `getUrl` then requests a new one. */
  invalidate({ remotePath }: TargetFile, refused: string): Promise<void> {
    const at = this.#batchOf.get(remotePath) ?? 0;
    return this.#batch(at).urls.then((urls) => {
      if (urls.get(remotePath) === refused) this.#requested.delete(at);
    });
  }

  #batch(at: number): Batch {
    const known = this.#requested.get(at);
    if (known !== undefined && Date.now() < known.expiresAt) return known;
    const queue = at % CONCURRENCY;
    const batch: Batch = { urls: Promise.resolve(new Map()), expiresAt: Number.POSITIVE_INFINITY };
    batch.urls = (this.#queues[queue] ?? Promise.resolve()).then(() =>
      this.#requestBatch(this.#batches[at] ?? [], batch),
    );
    // Whoever awaits a batch gets its error. One that nobody awaits yet must not cause an unhandled rejection.
    this.#queues[queue] = batch.urls.catch(() => undefined);
    this.#requested.set(at, batch);
    return batch;
  }

  async #requestBatch(files: readonly TargetFile[], batch: Batch): Promise<ReadonlyMap<string, string>> {
    const wanted = new Map(files.map((file) => [file.remotePath, file]));
    try {
      const { ttlSeconds, files: answers } = await presign(
        this.#client,
        this.#address,
        [...wanted.keys()],
        this.#signal,
      );
      batch.expiresAt = Date.now() + ttlSeconds * 1_000 * USED_SHARE;
      const moved = answers.some(({ path, sha256 }) => wanted.get(path)?.sha256 !== sha256);
      if (moved) throw new RevisionSupersededError();
      return new Map(answers.map(({ path, url }) => [path, url]));
    } catch (error) {
      if (error instanceof ApiError && error.code === 'unknown_path') throw new RevisionSupersededError();
      throw error;
    }
  }
}
