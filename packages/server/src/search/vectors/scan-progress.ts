import { LIMITS } from '@bindery/contract/limits';

const WANTED = LIMITS.embedding.candidates;

/** How many cosines the workers tell each other at most. What comes later raises no bar, and is found all the same. */
const MAX_TOLD = 4_096;

/** A cosine is told as the whole number of these that it reaches: no write to a whole number is ever seen half done. */
const PER_COSINE = 2 ** 30;
const NOT_TOLD = -(2 ** 31);

/** Where in the memory stand how many workers take blocks, how many were taken, how many cosines were told, and these. */
const [TAKING, TAKEN, TOLD, FIRST_COSINE] = [0, 1, 2, 3];

/** What the workers of one scan share: which block is next, and how good the rows are that each has found so far. */
export class ScanProgress {
  readonly #memory: Int32Array<SharedArrayBuffer>;
  /** The best that were told, ascending, as whole numbers. */
  readonly #best = new Int32Array(WANTED).fill(NOT_TOLD);
  #read = FIRST_COSINE;
  #takes = false;

  /** @param memory made for this scan by `ScanProgress.memory` */
  constructor(memory: SharedArrayBuffer) {
    this.#memory = new Int32Array(memory);
  }

  static memory(): SharedArrayBuffer {
    const memory = new SharedArrayBuffer((FIRST_COSINE + MAX_TOLD) * Int32Array.BYTES_PER_ELEMENT);
    new Int32Array(memory).fill(NOT_TOLD, FIRST_COSINE);
    return memory;
  }

  /** The number of a block that no worker has taken, counted from 0 without an end. */
  takeBlock(): number {
    if (!this.#takes) Atomics.add(this.#memory, TAKING, 1);
    this.#takes = true;
    return Atomics.add(this.#memory, TAKEN, 1);
  }

  /** Whether so many blocks were taken by no more workers than have answered: others have nothing to add. */
  isComplete(blocks: number, answers: number): boolean {
    // In this order: whoever takes a block has said so before.
    return Atomics.load(this.#memory, TAKEN) >= blocks && Atomics.load(this.#memory, TAKING) <= answers;
  }

  /** Tells the cosine of a row; each row once. */
  tell(cosine: number): void {
    const at = FIRST_COSINE + Atomics.add(this.#memory, TOLD, 1);
    if (at < this.#memory.length) Atomics.store(this.#memory, at, Math.floor(cosine * PER_COSINE));
  }

  /** What a cosine has to reach to be among the best hundred: minus infinity until a hundred were told. Never falls. */
  get bar(): number {
    for (; this.#read < this.#memory.length; this.#read++) {
      const told = Atomics.load(this.#memory, this.#read);
      if (told === NOT_TOLD) break;
      this.#keep(told);
    }
    const least = this.#best[0] as number;
    return least === NOT_TOLD ? Number.NEGATIVE_INFINITY : least / PER_COSINE;
  }

  #keep(told: number): void {
    const best = this.#best;
    if (told <= (best[0] as number)) return;
    let at = 1;
    for (; at < WANTED && (best[at] as number) < told; at++) best[at - 1] = best[at] as number;
    best[at - 1] = told;
  }
}
