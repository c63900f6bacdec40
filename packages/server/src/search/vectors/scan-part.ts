import { LIMITS } from '@bindery/contract/limits';

/** Whose assets are searched as one: those of each library begin at its first, in ascending order. */
export interface Owners {
  /** The position of each library in the caller's list. */
  targets: Uint32Array;
  firsts: Uint32Array;
}

/** Returns the position of the library that an asset is of, and its number there. */
export function ownerOf({ targets, firsts }: Owners, asset: number): { target: number; asset: number } {
  let [low, high] = [0, firsts.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if ((firsts[middle] as number) <= asset) low = middle;
    else high = middle - 1;
  }
  return { target: targets[low] as number, asset: asset - (firsts[low] as number) };
}

/** Rows that a scan searches. */
export interface ScanPart {
  /** Its position among the parts of the scan. */
  number: number;
  owners: Owners;
  /** The numbers of the blocks. */
  blocks: Uint32Array;
  /** The number of rows in these blocks; only the last block can be partly filled. */
  rows: number;
  /** The file descriptor of the matrix. */
  file: number;
  /** 1 for each asset that can be found, by number; null for all. */
  filter: Uint8Array | null;
}

/** Rows as columns (library, asset and cosine), best first. */
export interface FoundRows {
  targets: Uint32Array;
  assets: Uint32Array;
  cosines: Float64Array;
}

const WANTED = LIMITS.embedding.candidates;

/** At most this many cosines are shared between workers. Later ones do not raise the bar, but are still found. */
const MAX_SHARED = 4_096;

/** Cosines are shared as multiples of 1 / `PER_COSINE`, rounded down: reads of an integer are never torn. */
const PER_COSINE = 2 ** 30;
const NOT_SHARED = -(2 ** 31);

/** Offsets in the memory: how many workers take blocks, blocks taken, cosines shared, and the first of the cosines. */
const [TAKING, TAKEN, SHARED, FIRST_COSINE] = [0, 1, 2, 3];

/** The state shared by the workers of one scan: the next block, and the cosines that each has found so far. */
export class ScanProgress {
  readonly #memory: Int32Array<SharedArrayBuffer>;
  /** The highest cosines shared so far, ascending, as integers. */
  readonly #best = new Int32Array(WANTED).fill(NOT_SHARED);
  #read = FIRST_COSINE;
  #takes = false;

  /** @param memory created for this scan by `ScanProgress.memory` */
  constructor(memory: SharedArrayBuffer) {
    this.#memory = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    const memory = new SharedArrayBuffer((FIRST_COSINE + MAX_SHARED) * Int32Array.BYTES_PER_ELEMENT);
    new Int32Array(memory).fill(NOT_SHARED, FIRST_COSINE);
    return memory;
  }

  /** Returns the number of the next block that no worker has taken, counting from 0 without an upper bound. */
  takeBlock(): number {
    if (!this.#takes) Atomics.add(this.#memory, TAKING, 1);
    this.#takes = true;
    return Atomics.add(this.#memory, TAKEN, 1);
  }

  /** Whether all `blocks` were taken, by at most as many workers as have answered: others have nothing to add. */
  isComplete(blocks: number, answers: number): boolean {
    // The order matters: a worker increments `TAKING` before it takes its first block.
    return Atomics.load(this.#memory, TAKEN) >= blocks && Atomics.load(this.#memory, TAKING) <= answers;
  }

  /** Shares the cosine of a row with the other workers; call it once per row. */
  shareCosine(cosine: number): void {
    const at = FIRST_COSINE + Atomics.add(this.#memory, SHARED, 1);
    if (at < this.#memory.length) Atomics.store(this.#memory, at, Math.floor(cosine * PER_COSINE));
  }

  /** The cosine needed to be among the best 100; minus infinity until 100 were shared. Never decreases. */
  get threshold(): number {
    for (; this.#read < this.#memory.length; this.#read++) {
      const told = Atomics.load(this.#memory, this.#read);
      if (told === NOT_SHARED) break;
      this.#keep(told);
    }
    const least = this.#best[0] as number;
    return least === NOT_SHARED ? Number.NEGATIVE_INFINITY : least / PER_COSINE;
  }

  #keep(told: number): void {
    const best = this.#best;
    if (told <= (best[0] as number)) return;
    let at = 1;
    for (; at < WANTED && (best[at] as number) < told; at++) best[at - 1] = best[at] as number;
    best[at - 1] = told;
  }
}
