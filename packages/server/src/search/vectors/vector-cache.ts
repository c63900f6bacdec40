import { LRUCache } from 'lru-cache';
import { blocksFor } from '../../revision/vectors/block.ts';
import type { BlockPool } from './block-pool.ts';
import type { LoadJob, LoadOutcome } from './load.ts';
import type { SearchedVectors } from './vector-search.ts';

/** How many damaged sidecars are remembered, so that they are not read again for every search. */
const MAX_DAMAGED = 1_000;

/** How many libraries are kept; each has a file open. */
const MAX_LIBRARIES = 512;

/** The vectors of one revision in memory, and the file of its full rows. */
export interface LoadedVectors {
  blocks: Uint32Array;
  rows: number;
  file: number;
}

export type Held =
  /**
   * `release` gives the vectors back to the cache; until then they stay. `distrust` has the cache forget them, so that
   * whoever wants them next loads and checks them again.
   */
  | { use: 'used'; vectors: LoadedVectors; release(): void; distrust(): void }
  | { use: 'damaged' | 'unavailable' };

export interface OpenedMatrix {
  fd: number;
  close(): Promise<void>;
}

/** Where the bytes come from, and who reads them. */
export interface VectorSource {
  open(library: SearchedVectors): Promise<{ job: Omit<LoadJob, 'blocks'>; matrix: OpenedMatrix }>;
  /** Has a worker read. Rejects where it cannot tell whether the vectors are good. */
  load(job: LoadJob): Promise<LoadOutcome>;
  /** Told why vectors are not used. */
  warn(library: SearchedVectors, error: unknown): void;
}

interface Entry {
  vectors: LoadedVectors;
  matrix: OpenedMatrix;
  holders: number;
  /** Its memory was given back. */
  closed: boolean;
}

/**
 * Vectors of revisions in a pool of blocks, the least recently used forgotten first. Concurrent requests for the same
 * vectors share a load. Damage is remembered; what failed for another reason is retried by the next request.
 */
export class VectorCache {
  readonly #pool: BlockPool;
  readonly #source: VectorSource;
  readonly #entries: LRUCache<string, Entry, SearchedVectors>;
  readonly #loading = new Set<Promise<Entry | undefined>>();
  readonly #damaged = new LRUCache<string, true>({ max: MAX_DAMAGED });

  constructor(pool: BlockPool, source: VectorSource) {
    this.#pool = pool;
    this.#source = source;
    this.#entries = new LRUCache<string, Entry, SearchedVectors>({
      max: MAX_LIBRARIES,
      fetchMethod: (key, _stale, { context }) => this.#startLoading(key, context),
      // A load that was forgotten before its end still serves those who wait for it.
      ignoreFetchAbort: true,
      dispose: (entry) => this.#giveBackUnlessHeld(entry),
    });
  }

  /** Begins to load vectors that are not loaded, if no others have to go for them. */
  prepare(library: SearchedVectors): void {
    const key = keyOf(library);
    if (this.#damaged.has(key) || this.#entries.has(key)) return;
    if (this.#entries.size >= MAX_LIBRARIES || !this.#pool.hasRoom(blocksFor(library.assetCount))) return;
    this.#entries.fetch(key, { context: library }).catch(() => undefined);
  }

  async hold(library: SearchedVectors): Promise<Held> {
    const key = keyOf(library);
    if (this.#damaged.has(key)) return { use: 'damaged' };
    try {
      const entry = this.#entries.get(key) ?? (await this.#entries.fetch(key, { context: library }));
      if (entry === undefined) return { use: 'damaged' };
      // The vectors may have been evicted again before the waiter resumes.
      return entry.closed ? await this.hold(library) : this.#lend(key, entry);
    } catch {
      return { use: 'unavailable' };
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#loading);
    this.#entries.clear();
  }

  #lend(key: string, entry: Entry): Held {
    entry.holders++;
    let held = true;
    const isKept = () => this.#entries.peek(key) === entry;
    return {
      use: 'used',
      vectors: entry.vectors,
      release: () => {
        if (!held) return;
        held = false;
        entry.holders--;
        if (!isKept()) this.#giveBackUnlessHeld(entry);
      },
      distrust: () => {
        if (isKept()) this.#entries.delete(key);
      },
    };
  }

  /** Resolves to undefined where the vectors are damaged. */
  #startLoading(key: string, library: SearchedVectors): Promise<Entry | undefined> {
    const load = this.#load(key, library)
      .catch((error: unknown) => {
        this.#source.warn(library, error);
        throw error;
      })
      .finally(() => this.#loading.delete(load));
    this.#loading.add(load);
    return load;
  }

  async #load(key: string, library: SearchedVectors): Promise<Entry | undefined> {
    const blocks = this.#makeRoom(blocksFor(library.assetCount));
    if (!blocks) throw new Error('There is no room for these vectors while others are searched.');
    let opened: OpenedMatrix | null = null;
    try {
      const { job, matrix } = await this.#source.open(library);
      opened = matrix;
      const outcome = await this.#source.load({ ...job, blocks });
      if (!outcome.ok) {
        this.#source.warn(library, outcome.reason);
        this.#damaged.set(key, true);
        this.#pool.giveBack(blocks);
        await matrix.close();
        return undefined;
      }
      const { rows } = outcome;
      const needed = blocksFor(rows);
      this.#pool.giveBack(blocks.subarray(needed));
      const vectors = { blocks: blocks.slice(0, needed), rows, file: matrix.fd };
      return { vectors, matrix, holders: 0, closed: false };
    } catch (error) {
      this.#pool.giveBack(blocks);
      await opened?.close();
      throw error;
    }
  }

  /** Evicts vectors that nobody holds until there is room for this many blocks and one more library. */
  #makeRoom(blockCount: number): Uint32Array | null {
    const room = () => (this.#entries.size < MAX_LIBRARIES ? this.#pool.lend(blockCount) : null);
    let blocks = room();
    for (const key of [...this.#entries.rkeys()]) {
      if (blocks) return blocks;
      // What is being loaded has no entry yet.
      if (this.#entries.peek(key)?.holders !== 0) continue;
      this.#entries.delete(key);
      blocks = room();
    }
    return blocks;
  }

  /** Entries in use are given back on release. */
  #giveBackUnlessHeld(entry: Entry): void {
    if (entry.holders > 0 || entry.closed) return;
    entry.closed = true;
    this.#pool.giveBack(entry.vectors.blocks);
    entry.matrix.close().catch(() => undefined);
  }
}

function keyOf({ storeId, indexSha256, documentSha256, matrixSha256 }: SearchedVectors): string {
  return `${storeId}/${indexSha256}/${documentSha256}/${matrixSha256}`;
}
