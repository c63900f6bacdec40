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
}

type Loaded = { use: 'used'; entry: Entry } | { use: 'damaged' | 'unavailable' };

/**
 * Vectors of revisions in a pool of blocks, the least recently used forgotten first. Requests that want the same at the same time
 * share one load. Damage is remembered; what failed for another reason is tried again by the next request.
 */
export class VectorCache {
  readonly #pool: BlockPool;
  readonly #source: VectorSource;
  readonly #entries = new Map<string, Entry>();
  readonly #loads = new Map<string, Promise<Loaded>>();
  readonly #damaged = new Set<string>();

  constructor(pool: BlockPool, source: VectorSource) {
    this.#pool = pool;
    this.#source = source;
  }

  async hold(library: SearchedVectors): Promise<Held> {
    const key = keyOf(library);
    if (this.#damaged.has(key)) return { use: 'damaged' };
    const known = this.#entries.get(key);
    if (known) {
      this.#entries.delete(key);
      this.#entries.set(key, known);
      return this.#lend(key, known);
    }
    const underWay = this.#loads.get(key);
    const loaded = await (underWay ?? this.#startLoading(key, library));
    if (loaded.use !== 'used') return loaded;
    // Whoever waited for the load may come after the vectors were forgotten again.
    return this.#entries.get(key) === loaded.entry ? this.#lend(key, loaded.entry) : this.hold(library);
  }

  async close(): Promise<void> {
    await Promise.all(this.#loads.values());
    for (const [key, entry] of this.#entries) this.#forget(key, entry);
  }

  #lend(key: string, entry: Entry): Held {
    entry.holders++;
    let held = true;
    return {
      use: 'used',
      vectors: entry.vectors,
      release: () => {
        if (!held) return;
        held = false;
        entry.holders--;
        if (entry.holders === 0 && this.#entries.get(key) !== entry) this.#giveBack(entry);
      },
      distrust: () => this.#forget(key, entry),
    };
  }

  #startLoading(key: string, library: SearchedVectors): Promise<Loaded> {
    const load = this.#load(key, library)
      .catch((error: unknown): Loaded => {
        this.#source.warn(library, error);
        return { use: 'unavailable' };
      })
      .finally(() => this.#loads.delete(key));
    this.#loads.set(key, load);
    return load;
  }

  async #load(key: string, library: SearchedVectors): Promise<Loaded> {
    const blocks = this.#makeRoom(blocksFor(library.assetCount));
    if (!blocks) throw new Error('There is no room for these vectors while others are searched.');
    let opened: OpenedMatrix | null = null;
    try {
      const { job, matrix } = await this.#source.open(library);
      opened = matrix;
      const outcome = await this.#source.load({ ...job, blocks });
      if (!outcome.ok) {
        this.#source.warn(library, outcome.reason);
        this.#rememberDamage(key);
        this.#pool.giveBack(blocks);
        await matrix.close();
        return { use: 'damaged' };
      }
      const { rows } = outcome;
      const needed = blocksFor(rows);
      this.#pool.giveBack(blocks.subarray(needed));
      const vectors = { blocks: blocks.slice(0, needed), rows, file: matrix.fd };
      const entry = { vectors, matrix, holders: 0 };
      this.#entries.set(key, entry);
      return { use: 'used', entry };
    } catch (error) {
      this.#pool.giveBack(blocks);
      await opened?.close();
      throw error;
    }
  }

  /** Forgets vectors that nobody holds until there is room for so many blocks and one more library. */
  #makeRoom(blockCount: number): Uint32Array | null {
    let blocks = this.#entries.size < MAX_LIBRARIES ? this.#pool.lend(blockCount) : null;
    for (const [key, entry] of this.#entries) {
      if (blocks) return blocks;
      if (entry.holders > 0) continue;
      this.#forget(key, entry);
      blocks = this.#pool.lend(blockCount);
    }
    return blocks;
  }

  /** What somebody holds is given back with its release. */
  #forget(key: string, entry: Entry): void {
    if (this.#entries.get(key) !== entry) return;
    this.#entries.delete(key);
    if (entry.holders === 0) this.#giveBack(entry);
  }

  #giveBack({ vectors, matrix }: Entry): void {
    this.#pool.giveBack(vectors.blocks);
    matrix.close().catch(() => undefined);
  }

  #rememberDamage(key: string): void {
    const [oldest] = this.#damaged;
    if (this.#damaged.size >= MAX_DAMAGED && oldest !== undefined) this.#damaged.delete(oldest);
    this.#damaged.add(key);
  }
}

function keyOf({ storeId, indexSha256, documentSha256, matrixSha256 }: SearchedVectors): string {
  return `${storeId}/${indexSha256}/${documentSha256}/${matrixSha256}`;
}
