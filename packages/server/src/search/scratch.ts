/** How many arrays are kept for later searches. */
const KEPT = 16;

/**
 * Lends zeroed arrays to searches, so that a search does not start by allocating. An array that is not returned is
 * garbage-collected.
 */
export class ScratchPool {
  readonly #free: Uint16Array[] = [];

  /** An array of exactly this length, all zero. */
  borrow(length: number): Uint16Array {
    const at = this.#free.findIndex((array) => array.length >= length);
    const [found] = at < 0 ? [] : this.#free.splice(at, 1);
    return found ? found.subarray(0, length).fill(0) : new Uint16Array(length);
  }

  giveBack(array: Uint16Array): void {
    if (this.#free.length < KEPT) this.#free.push(new Uint16Array(array.buffer));
  }
}
