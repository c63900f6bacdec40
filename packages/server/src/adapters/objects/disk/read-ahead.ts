/** What an answer may read however much the others hold, so that slow readers cannot keep quick ones from reading. */
const LEAST_PIECE = 16 * 1024;

/** The most of an answer that is read at a time. */
const LARGEST_PIECE = 256 * 1024;

/** Buffers for smaller pieces are not worth keeping. */
const WORTH_KEEPING = 64 * 1024;

/** Buffers that are kept: as many as are filled at a time where readers are quick. */
const MAX_KEPT = 32;

/**
 * The memory for what all answers together have read and their readers have not taken yet. Its buffers are filled again
 * and again: new ones for all bytes that are sent would keep the garbage collector busy.
 */
export class ReadAhead {
  readonly #kept: Buffer[] = [];
  #free: number;

  constructor(bytes: number) {
    this.#free = bytes;
  }

  /** A buffer for the next of `wanted` bytes, as large as may be read now. It is to be given back. */
  take(wanted: number): Buffer {
    const size = Math.min(wanted, LARGEST_PIECE, Math.max(this.#free, LEAST_PIECE));
    this.#free -= size;
    if (size < WORTH_KEEPING) return Buffer.allocUnsafe(size);
    const whole = this.#kept.pop() ?? Buffer.allocUnsafeSlow(LARGEST_PIECE);
    return whole.subarray(0, size);
  }

  /** @param untouched whether nobody reads from the buffer any more */
  giveBack(buffer: Buffer, untouched: boolean): void {
    this.#free += buffer.length;
    const keep = untouched && buffer.length >= WORTH_KEEPING && this.#kept.length < MAX_KEPT;
    if (keep) this.#kept.push(Buffer.from(buffer.buffer));
  }
}
