/** How many arrays are kept for later searches. */
const KEPT = 16;

interface Numbers {
  readonly length: number;
  readonly buffer: ArrayBufferLike;
  fill(value: number): this;
  subarray(start: number, end: number): this;
}

/**
 * Lends zeroed arrays to searches, so that a search does not start by allocating. An array that is not returned is
 * garbage-collected.
 */
export class ScratchPool<Lent extends Numbers> {
  readonly #Kind: new (
    source: number | ArrayBufferLike,
  ) => Lent;
  readonly #free: Lent[] = [];

  /** @param Kind such as `Uint16Array` */
  constructor(Kind: new (source: number | ArrayBufferLike) => Lent) {
    this.#Kind = Kind;
  }

  /** Returns an array of exactly `length` elements, all zero. */
  borrow(length: number): Lent {
    // The array returned last is the likeliest to be in the CPU cache.
    const at = this.#free.findLastIndex((array) => array.length >= length);
    const [found] = at < 0 ? [] : this.#free.splice(at, 1);
    return found ? found.subarray(0, length).fill(0) : new this.#Kind(length);
  }

  giveBack(array: Lent): void {
    if (this.#free.length < KEPT) this.#free.push(new this.#Kind(array.buffer));
  }
}
