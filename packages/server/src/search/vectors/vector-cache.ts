import { LRUCache } from 'lru-cache';
import { BLOCK_BYTES, blocksFor } from '../../revision/vectors/block.ts';
import type { LoadJob, LoadOutcome } from './load.ts';
import type { StoredVectors } from './units.ts';

/** How many damaged sidecars are remembered, so that they are not read again for every search. */
const MAX_DAMAGED = 1_000;

/** How many libraries stay loaded; each holds a file open. */
const MAX_LIBRARIES = 2_048;

/** The vectors of one revision in memory, and the descriptor of the file with its full rows. */
interface LoadedVectors {
  blocks: Uint32Array;
  rows: number;
  file: number;
}

export type AcquiredVectors =
  /**
   * `release` returns the vectors to the cache; until then their memory is not reused. `invalidate` removes them from
   * the cache, so that the next request loads and checks them again.
   */
  | { use: 'used'; vectors: LoadedVectors; release(): void; invalidate(): void }
  | { use: 'damaged' | 'unavailable' };

interface OpenedMatrix {
  fd: number;
  close(): Promise<void>;
}

/** Where the vectors come from, and what loads them. */
export interface VectorSource {
  /** Resolves to null if joined vectors are gone. */
  open(vectors: StoredVectors): Promise<{ job: Omit<LoadJob, 'blocks'>; matrix: OpenedMatrix } | null>;
  /** Loads vectors in a worker. Rejects if it cannot determine whether they are good. */
  load(job: LoadJob): Promise<LoadOutcome>;
  /** Reports why vectors are not used. */
  warn(vectors: StoredVectors, error: unknown): void;
}

interface Entry {
  vectors: LoadedVectors;
  matrix: OpenedMatrix;
  references: number;
  /** Its memory was returned to the pool. */
  closed: boolean;
}

/**
 * An LRU cache of the vectors of revisions, in a pool of blocks. Concurrent requests for the same vectors share a load.
 * Damage is remembered; after any other failure, the next request tries again.
 */
export class VectorCache {
  readonly #pool: BlockPool;
  readonly #source: VectorSource;
  readonly #entries: LRUCache<string, Entry, { vectors: StoredVectors }>;
  readonly #loading = new Set<Promise<Entry | undefined>>();
  readonly #damaged = new LRUCache<string, true>({ max: MAX_DAMAGED });

  constructor(pool: BlockPool, source: VectorSource) {
    this.#pool = pool;
    this.#source = source;
    this.#entries = new LRUCache<string, Entry, { vectors: StoredVectors }>({
      max: MAX_LIBRARIES,
      fetchMethod: (key, _stale, { context }) => this.#startLoading(key, context.vectors),
      // A load that was evicted before it finished still serves the requests that wait for it.
      ignoreFetchAbort: true,
      dispose: (entry) => this.#giveBackUnlessHeld(entry),
    });
  }

  /** Starts loading vectors that are not loaded yet, unless others would have to be evicted to make room. */
  prepare(library: StoredVectors): void {
    const key = keyOf(library);
    if (this.#damaged.has(key) || this.#entries.has(key)) return;
    if (this.#entries.size >= MAX_LIBRARIES || !this.#pool.hasRoom(blocksFor(library.assetCount))) return;
    this.#entries.fetch(key, { context: { vectors: library } }).catch(() => undefined);
  }

  async acquire(library: StoredVectors): Promise<AcquiredVectors> {
    const key = keyOf(library);
    if (this.#damaged.has(key)) return { use: 'damaged' };
    try {
      const entry =
        this.#entries.get(key) ?? (await this.#entries.fetch(key, { context: { vectors: library } }));
      if (entry === undefined) return { use: 'damaged' };
      // The vectors may have been evicted again before the waiter resumes.
      return entry.closed ? await this.acquire(library) : this.#lend(key, entry);
    } catch {
      return { use: 'unavailable' };
    }
  }

  async close(): Promise<void> {
    await Promise.allSettled(this.#loading);
    this.#entries.clear();
  }

  #lend(key: string, entry: Entry): AcquiredVectors {
    entry.references++;
    let held = true;
    const isKept = () => this.#entries.peek(key) === entry;
    return {
      use: 'used',
      vectors: entry.vectors,
      release: () => {
        if (!held) return;
        held = false;
        entry.references--;
        if (!isKept()) this.#giveBackUnlessHeld(entry);
      },
      invalidate: () => {
        if (isKept()) this.#entries.delete(key);
      },
    };
  }

  /** Resolves to undefined if the vectors are damaged. */
  #startLoading(key: string, library: StoredVectors): Promise<Entry | undefined> {
    const load = this.#load(key, library)
      .catch((error: unknown) => {
        this.#source.warn(library, error);
        throw error;
      })
      .finally(() => this.#loading.delete(load));
    this.#loading.add(load);
    return load;
  }

  async #load(key: string, library: StoredVectors): Promise<Entry | undefined> {
    const blocks = this.#makeRoom(blocksFor(library.assetCount));
    if (!blocks) throw new Error('There is no room for these vectors while others are searched.');
    let opened: OpenedMatrix | null = null;
    try {
      const found = await this.#source.open(library);
      opened = found?.matrix ?? null;
      const outcome: LoadOutcome = found
        ? await this.#source.load({ ...found.job, blocks })
        : { ok: false, reason: 'The joined vectors are gone.' };
      if (!found || !outcome.ok) {
        this.#source.warn(library, outcome.ok ? null : outcome.reason);
        this.#damaged.set(key, true);
        this.#pool.giveBack(blocks);
        await opened?.close();
        return undefined;
      }
      const { rows } = outcome;
      const needed = blocksFor(rows);
      this.#pool.giveBack(blocks.subarray(needed));
      const { matrix } = found;
      const vectors = { blocks: blocks.slice(0, needed), rows, file: matrix.fd };
      return { vectors, matrix, references: 0, closed: false };
    } catch (error) {
      this.#pool.giveBack(blocks);
      await opened?.close();
      throw error;
    }
  }

  /** Evicts vectors that are not held until there is room for `blockCount` blocks and one more library. */
  #makeRoom(blockCount: number): Uint32Array | null {
    const room = () => (this.#entries.size < MAX_LIBRARIES ? this.#pool.lend(blockCount) : null);
    let blocks = room();
    for (const key of [...this.#entries.rkeys()]) {
      if (blocks) return blocks;
      // Vectors that are still being loaded have no entry yet.
      if (this.#entries.peek(key)?.references !== 0) continue;
      this.#entries.delete(key);
      blocks = room();
    }
    return blocks;
  }

  /** Entries in use are released later, by their last holder. */
  #giveBackUnlessHeld(entry: Entry): void {
    if (entry.references > 0 || entry.closed) return;
    entry.closed = true;
    this.#pool.giveBack(entry.vectors.blocks);
    entry.matrix.close().catch(() => undefined);
  }
}

function keyOf(vectors: StoredVectors): string {
  if ('codes' in vectors) return vectors.matrixFile;
  const { storeId, indexSha256, documentSha256, matrixSha256 } = vectors;
  return `${storeId}/${indexSha256}/${documentSha256}/${matrixSha256}`;
}

/**
 * Shared memory in blocks, which are lent by number and returned. A block's memory is allocated when it is first lent:
 * the operating system counts memory that has not been written to as well, and refuses to fork if the memory of this
 * process would not fit twice. Returned blocks are reused first.
 */
export class BlockPool {
  /** By number. The array never changes while the pool is in use, so workers receive it only once. */
  readonly blocks: readonly SharedArrayBuffer[];
  readonly #free: number[] = [];
  #lentOnce = 0;

  /** @param capacity maximum size of all blocks in bytes */
  constructor(capacity: number) {
    const count = Math.floor(capacity / BLOCK_BYTES);
    const bounds = { maxByteLength: BLOCK_BYTES };
    this.blocks = Array.from({ length: count }, () => new SharedArrayBuffer(0, bounds));
  }

  /** The largest number of bytes that was ever lent at once. */
  get byteLength(): number {
    return this.#lentOnce * BLOCK_BYTES;
  }

  get lentBlocks(): number {
    return this.#lentOnce - this.#free.length;
  }

  hasRoom(count: number): boolean {
    return count <= this.blocks.length - this.lentBlocks;
  }

  /** Returns the numbers of `count` blocks, or null if too few are free. */
  lend(count: number): Uint32Array | null {
    if (!this.hasRoom(count)) return null;
    return Uint32Array.from({ length: count }, () => this.#free.pop() ?? this.#firstLent());
  }

  giveBack(blocks: Uint32Array): void {
    for (const block of blocks) this.#free.push(block);
  }

  #firstLent(): number {
    const number = this.#lentOnce++;
    (this.blocks[number] as SharedArrayBuffer).grow(BLOCK_BYTES);
    return number;
  }
}
