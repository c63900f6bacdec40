/** What an answer may read however much the others hold, so that slow readers cannot keep quick ones from reading. */
export const LEAST_PIECE = 16 * 1024;

/** The memory for what all answers together have read and their readers have not taken yet. */
export class ReadAhead {
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** Answers how many of the `wanted` bytes may be read now. They are to be given back. */
  take(wanted: number): number {
    const granted = Math.min(wanted, Math.max(this.#free, LEAST_PIECE));
    this.#free -= granted;
    return granted;
  }

  giveBack(bytes: number): void {
    this.#free += bytes;
  }
}
